"""The supervisor with real processes: small parts that answer for their health and die on demand."""

import asyncio
import os
import signal
import sys
import time
from collections.abc import AsyncIterator, Callable
from contextlib import asynccontextmanager
from pathlib import Path

import msgspec
import pytest

from ipam_core.errors import PartError
from ipam_core.processes.supervisor import Part, Supervisor
from ipam_core.setting_values import Endpoint

# A part: its health address in the environment, a counter of starts in a file, an own metric.
PART = """
import asyncio, os, sys
from http import HTTPStatus
from ipam_core.processes import health
from ipam_core.settings import endpoint

async def ok():
    return health.Answer(HTTPStatus.OK, "yes")

async def metrics():
    return health.Answer(HTTPStatus.OK, "# TYPE pid gauge\\npid %d\\n" % os.getpid(), "text/plain")

async def main():
    pages = {"/readyz": ok, "/healthz": ok, "/metrics": metrics}
    async with await health.serve(endpoint(os.environ["LISTEN"]), pages) as server:
        await server.serve_forever()

asyncio.run(main())
"""


def environment(address: Endpoint) -> dict[str, str]:
    return {"PATH": os.defpath, "LISTEN": str(address)}


def part(role: str, code: str = PART) -> Part:
    return Part(role, [sys.executable, "-P", "-c", code], environment)


@asynccontextmanager
async def running(*parts: Part) -> AsyncIterator[Supervisor]:
    supervisor = Supervisor(list(parts))
    try:
        await supervisor.start()
        yield supervisor
    finally:
        await supervisor.stop()


async def eventually(true: Callable[[], bool], seconds: float = 10) -> None:
    deadline = time.monotonic() + seconds
    while not true():
        assert time.monotonic() < deadline
        await asyncio.sleep(0.02)


def pid_of(one: Part) -> int:
    assert one.process is not None
    return one.process.pid


async def test_one_address_answers_for_all() -> None:
    async with running(part("api"), part("dhcp")) as supervisor:
        pages = supervisor.pages()
        assert (await pages["/healthz"]()).status == (await pages["/readyz"]()).status == 200
        text = (await pages["/metrics"]()).body
        assert 'ipam_part_up{role="dhcp"} 1' in text
        assert 'pid{role="api"}' in text
        await supervisor.parts[1].stop()
        answer = await pages["/readyz"]()
        assert answer.status == 503
        assert msgspec.json.decode(answer.body)["parts"]["dhcp"]["reason"] == "it does not answer"
        assert (await pages["/healthz"]()).status == 503
        assert 'ipam_part_up{role="dhcp"} 0' in (await pages["/metrics"]()).body


async def test_a_part_that_dies_is_started_again() -> None:
    one = part("dhcp")
    async with running(one) as supervisor:
        keeper = asyncio.create_task(supervisor.keep())
        first = pid_of(one)
        os.kill(first, signal.SIGKILL)
        await eventually(lambda: pid_of(one) != first)
        while not (await one.state())["ready"]:  # noqa: ASYNC110 - the part has no other way to say so
            await asyncio.sleep(0.02)
        assert one.restarts == 1
        keeper.cancel()


async def test_a_part_that_ends_before_it_was_ready_ends_the_start() -> None:
    with pytest.raises(PartError, match="dhcp ended with status 3 before it was ready"):
        async with running(part("api"), part("dhcp", "raise SystemExit(3)")):
            pass


async def test_the_end_of_the_parent_is_the_end_of_its_parts(tmp_path: Path) -> None:
    """SIGKILL leaves the parent no time; the kernel ends the parts."""
    note = tmp_path / "pids"
    code = f"""
import asyncio, os, signal, sys
from pathlib import Path
from ipam_core.processes.supervisor import Part, Supervisor

async def main():
    command = [sys.executable, "-P", "-c", {PART!r}]
    part = Part("dhcp", command, lambda address: {{"PATH": os.defpath, "LISTEN": str(address)}})
    await Supervisor([part]).start()
    Path({str(note)!r}).write_text(str(part.process.pid))
    os.kill(os.getpid(), signal.SIGKILL)

asyncio.run(main())
"""
    parent = await asyncio.create_subprocess_exec(sys.executable, "-P", "-c", code)
    assert await parent.wait() == -signal.SIGKILL
    await eventually(lambda: not Path(f"/proc/{note.read_text()}").exists())


async def test_ctrl_c_on_the_terminal_is_not_for_the_parts() -> None:
    async with running(part("api")) as supervisor:
        assert os.getsid(pid_of(supervisor.parts[0])) != os.getsid(0)


async def test_a_trace_is_asked_of_the_dhcp_server_itself() -> None:
    async with running(part("api"), part("dhcp")) as supervisor:
        (place,) = (one.health for one in supervisor.parts if one.role == "dhcp")
        answer = await supervisor.pages()["/trace"]()
    assert (answer.status, answer.location) == (307, f"http://{place}/trace")


async def test_what_a_part_warns_of_is_passed_on() -> None:
    """It is ready, and will not be if nobody looks."""
    told = '{"ready":true,"reason":"","warnings":["two days left"]}'
    async with running(part("dhcp", PART.replace('"yes"', repr(told)))) as supervisor:
        answer = await supervisor.pages()["/readyz"]()
        state = msgspec.json.decode(answer.body)["parts"]["dhcp"]
    assert (answer.status, state["ready"], state["warnings"]) == (200, True, ["two days left"])
