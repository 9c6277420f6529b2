"""The parts that `ipam up` runs: each role in a process of its own, started by the command `ipam` itself.

A part that dies before all were ready once ends the start, because what it said on stderr needs a person; later it is
started again, sooner or later by how long it lived. One address answers for the health of all. The parts have sessions
of their own, so that Ctrl-C reaches the supervisor alone, which stops them in order. The kernel ends them if the
supervisor is killed, because a remaining DHCP server would hold the port.
"""

import asyncio
import contextlib
import ctypes
import os
import signal
import socket
import sys
import time
from collections.abc import AsyncIterator, Callable, Mapping, Sequence
from functools import partial
from http import HTTPStatus
from typing import Any

import click
import msgspec

from ipam_core import settings
from ipam_core.errors import PartError, Unavailable, system_reason
from ipam_core.processes import health, metrics_text, notify
from ipam_core.setting_values import INNER_HOST, Endpoint
from ipam_core.settings import Settings

PR_SET_PDEATHSIG = 1

STOP_SECONDS = 15.0
POLL_SECONDS = 0.03
NEWS_SECONDS = 5.0
FIRST_PAUSE_SECONDS = 0.25
LONGEST_PAUSE_SECONDS = 30.0
STABLE_SECONDS = 60.0

LIBC = ctypes.CDLL(None, use_errno=True)


class Part:
    """One role: its process, the address of its health, how often it was started again."""

    def __init__(
        self, role: str, command: Sequence[str], environment: Callable[[Endpoint], Mapping[str, str]]
    ) -> None:
        self.role = role
        self.command = command
        self.environment = environment
        self.health = Endpoint(INNER_HOST, 0)
        self.process: asyncio.subprocess.Process | None = None
        self.restarts = 0

    async def start(self) -> None:
        self.health = free_endpoint()
        self.process = await asyncio.create_subprocess_exec(
            *self.command,
            stdin=asyncio.subprocess.DEVNULL,
            env=self.environment(self.health),
            start_new_session=True,
            preexec_fn=die_with(os.getpid()),
        )

    async def ended(self) -> int:
        assert self.process is not None
        return await self.process.wait()

    async def stop(self) -> None:
        """Ask it to end what it is doing; insist when it does not."""
        if self.process is None or self.process.returncode is not None:
            return
        with contextlib.suppress(ProcessLookupError):
            self.process.terminate()
            with contextlib.suppress(TimeoutError):
                async with asyncio.timeout(STOP_SECONDS):
                    await self.process.wait()
                    return
            self.process.kill()
        await self.process.wait()

    async def state(self) -> dict[str, object]:
        """Return the state that its /readyz reports."""
        answer = await health.ask(self.health, "/readyz")
        if answer is None:
            return {"ready": False, "reason": "it does not answer"}
        status, body = answer
        told = page(body)
        ready = status == HTTPStatus.OK
        state = {"ready": ready, "reason": "" if ready else str(told.get("reason", body.strip()))}
        return state | ({"warnings": told["warnings"]} if told.get("warnings") else {})


def page(body: str) -> dict[str, Any]:
    """Return the JSON object of a part's page; empty if it is another text."""
    try:
        told = msgspec.json.decode(body)
    except msgspec.DecodeError:
        return {}
    return told if isinstance(told, dict) else {}


def die_with(parent: int) -> Callable[[], None]:
    """Return the function that a child calls before it becomes the part: ask to be killed when its parent is."""

    def before_exec() -> None:
        LIBC.prctl(PR_SET_PDEATHSIG, signal.SIGKILL)
        if os.getppid() != parent:
            os._exit(1)

    return before_exec


def free_endpoint() -> Endpoint:
    with socket.socket() as probe:
        probe.bind((INNER_HOST, 0))
        return Endpoint(*probe.getsockname())


class Supervisor:
    """All parts, from the first start to the last stop."""

    def __init__(self, parts: list[Part]) -> None:
        self.parts = parts

    async def start(self) -> None:
        """Start every part and wait until all are ready."""
        for part in self.parts:
            await part.start()
        try:
            async with asyncio.TaskGroup() as all_ready:
                for part in self.parts:
                    all_ready.create_task(first_ready(part))
        except* PartError as failed:
            first = failed.exceptions[0]
        else:
            return
        raise first

    async def keep(self) -> None:
        """Restart parts that end; until canceled."""
        async with asyncio.TaskGroup() as keepers:
            for part in self.parts:
                keepers.create_task(keep(part))

    async def stop(self) -> None:
        await asyncio.gather(*(part.stop() for part in self.parts))

    def pages(self) -> health.Pages:
        return {
            **health.process_pages(self.readyz, self.metrics, self.healthz),
            "/trace": partial(self.trace, "dhcp", "/trace"),
            "/trace6": partial(self.trace, "dhcp6", "/trace6"),
        }

    async def readyz(self) -> health.Answer:
        states = await asyncio.gather(*(part.state() for part in self.parts))
        ready = all(state["ready"] for state in states)
        parts = {part.role: state for part, state in zip(self.parts, states, strict=True)}
        return health.state(ready, {"ready": ready, "parts": parts})

    async def healthz(self) -> health.Answer:
        answers = await asyncio.gather(*(health.ask(part.health, "/healthz") for part in self.parts))
        parts = {
            part.role: answer is not None and answer[0] == HTTPStatus.OK
            for part, answer in zip(self.parts, answers, strict=True)
        }
        alive = all(parts.values())
        return health.state(alive, {"alive": alive, "parts": parts})

    async def metrics(self) -> health.Answer:
        answers = await asyncio.gather(*(health.ask(part.health, "/metrics") for part in self.parts))
        pages = {part.role: answer[1] for part, answer in zip(self.parts, answers, strict=True) if answer}
        return health.numbers(self.own_metrics(pages) + metrics_text.join(pages))

    async def trace(self, role: str, path: str) -> health.Answer:
        """Ask the DHCP server for the trace, because only it sees packets."""
        for part in self.parts:
            if part.role == role:
                return health.Answer(
                    HTTPStatus.TEMPORARY_REDIRECT, "", location=f"http://{part.health}{path}"
                )
        return health.Answer(HTTPStatus.NOT_FOUND, '{"error": "no server of this address family runs here"}')

    def own_metrics(self, answering: Mapping[str, str]) -> str:
        up = [f'ipam_part_up{{role="{part.role}"}} {int(part.role in answering)}' for part in self.parts]
        restarts = [f'ipam_part_restarts_total{{role="{part.role}"}} {part.restarts}' for part in self.parts]
        lines = [
            "# HELP ipam_part_up Whether the process of the part answers.",
            "# TYPE ipam_part_up gauge",
            *up,
            "# HELP ipam_part_restarts_total Restarts of the part.",
            "# TYPE ipam_part_restarts_total counter",
            *restarts,
        ]
        return "".join(f"{line}\n" for line in lines)


async def first_ready(part: Part) -> None:
    ended = asyncio.ensure_future(part.ended())
    news_at = time.monotonic() + NEWS_SECONDS
    try:
        while not (state := await part.state())["ready"]:
            done, _ = await asyncio.wait([ended], timeout=POLL_SECONDS)
            if done:
                raise PartError(part.role, ended.result())
            if time.monotonic() > news_at:
                say(f"waiting for {part.role}: {state['reason']}")
                news_at = time.monotonic() + NEWS_SECONDS
    finally:
        ended.cancel()


async def keep(part: Part) -> None:
    pause = FIRST_PAUSE_SECONDS
    while True:
        began = time.monotonic()
        status = await part.ended()
        if time.monotonic() - began > STABLE_SECONDS:
            pause = FIRST_PAUSE_SECONDS
        say(f"{part.role} exited with status {status}; restarting in {pause:g} s")
        await asyncio.sleep(pause)
        pause = min(pause * 2, LONGEST_PAUSE_SECONDS)
        part.restarts += 1
        await part.start()


def say(what: str) -> None:
    """Print one line for the person at the terminal, or for the journal."""
    click.echo(f"ipam: {what}", err=True)


@contextlib.asynccontextmanager
async def supervised(inside: Settings, roles: Mapping[str, Sequence[str]]) -> AsyncIterator[Supervisor]:
    """Provide the supervisor of these roles (what to say behind `ipam` for each), with its health address open; its
    parts are stopped at the end."""

    def environment(address: Endpoint) -> Mapping[str, str]:
        own = settings.environment(msgspec.structs.replace(inside, health_listen=address))
        return own | {settings.UP_HEALTH_PORT: str(inside.health_listen.port)}

    # -P: a folder named `api` below the current one is none of ours.
    command = [sys.executable, "-P", "-m", "api.cli"]
    supervisor = Supervisor([Part(role, [*command, *words], environment) for role, words in roles.items()])
    try:
        server = await health.serve(inside.health_listen, supervisor.pages())
    except OSError as error:
        raise Unavailable(f"the health address {inside.health_listen}", system_reason(error)) from None
    async with server:
        notify.ready()
        try:
            yield supervisor
        finally:
            await supervisor.stop()
