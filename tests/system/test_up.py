"""`ipam up` as an operator meets it: one command, every part, found again after any end."""

import asyncio
import contextlib
import json
import os
import pty
import re
import shlex
import signal
import socket
import sys
import time
from collections.abc import AsyncIterator, Awaitable, Callable, Sequence
from contextlib import asynccontextmanager
from ipaddress import IPv6Network
from pathlib import Path
from typing import Any

import asyncpg
import dns.asyncquery
import dns.message
import dns.rcode
import httpx
from ports import free_endpoint

from ipam_core import bootstrap_code
from ipam_core.db.embedded.server import running_dsn
from ipam_core.processes import demo_relay, health, welcome
from ipam_core.settings import endpoint

COMMAND = [sys.executable, "-P", "-m", "api.cli"]
READY_SECONDS = 60


class Up:
    """One `ipam up --demo` on ports of its own. `command`: how it is called, and the probe."""

    def __init__(self, data_dir: Path, command: Sequence[str] = COMMAND, **settings: str) -> None:
        self.data_dir = data_dir
        self.command = command
        self.health = free_endpoint()
        self.dhcp = free_endpoint()
        self.dhcp6 = free_endpoint("::1")
        self.dns = free_endpoint()
        told = {
            "data_dir": str(data_dir),
            "dns_listen": str(self.dns),
            "api_listen": str(free_endpoint()),
            "dhcp4_listen": str(self.dhcp),
            "dhcp6_listen": str(self.dhcp6),
            "health_listen": str(self.health),
            **settings,
        }
        named = {f"IPAM_{name.upper()}": value for name, value in told.items()}
        self.environment = {"PATH": os.environ["PATH"], "HOME": str(data_dir), **named}

    async def start(self) -> None:
        self.process = await asyncio.create_subprocess_exec(
            *(*self.command, "up", "--demo"),
            env=self.environment,
            stdout=asyncio.subprocess.PIPE,
            stderr=asyncio.subprocess.PIPE,
        )

    async def ready(self) -> None:
        await eventually(self.is_ready)

    async def is_ready(self) -> bool:
        assert self.process.returncode is None, (await self.process.communicate())[1].decode()
        answer = await health.ask(self.health, "/readyz")
        return answer is not None and answer[0] == 200

    async def end(self, how: signal.Signals) -> tuple[int | None, str, str]:
        if self.process.returncode is None:
            self.process.send_signal(how)
        output, errors = await self.process.communicate()
        return self.process.returncode, output.decode(), errors.decode()

    async def probe(self) -> dict[str, object]:
        return await self.probed("--server", str(self.dhcp))

    async def probe6(self) -> dict[str, str]:
        """The leases by the kind of their association."""
        found: Any = await self.probed("-6", "--pd", "--server", str(self.dhcp6))
        return {lease["association"]: lease["address"] for lease in found["leases"]}

    async def probed(self, *told: str) -> dict[str, object]:
        arguments = ["probe", *told, "--mac", "02:00:00:00:00:99", "--json"]
        process = await asyncio.create_subprocess_exec(
            *(*self.command, *arguments),
            env=self.environment,
            stdout=asyncio.subprocess.PIPE,
            stderr=asyncio.subprocess.PIPE,
        )
        output, errors = await process.communicate()
        assert process.returncode == 0, errors.decode()
        found: dict[str, object] = json.loads(output)
        return found


@asynccontextmanager
async def running(up: Up) -> AsyncIterator[Up]:
    await up.start()
    try:
        await up.ready()
        yield up
    finally:
        await up.end(signal.SIGTERM)


async def eventually(true: Callable[[], Awaitable[bool]]) -> None:
    deadline = time.monotonic() + READY_SECONDS
    while not await true():
        assert time.monotonic() < deadline
        await asyncio.sleep(0.05)


async def lease_count(up: Up) -> int:
    dsn = running_dsn(up.data_dir)
    assert dsn is not None
    connection = await asyncpg.connect(dsn)
    try:
        return int(await connection.fetchval("select count(*) from lease where state = 'a'"))
    finally:
        await connection.close()


async def make_token(up: Up) -> None:
    async with httpx.AsyncClient() as client:
        address = f"http://{up.environment['IPAM_API_LISTEN']}/api/v1/tokens"
        made = await client.post(address, json={"name": "admin", "role": "admin"})
    assert made.status_code == 201, made.text


def started_by(parent: int) -> list[int]:
    """The processes below one, whichever of its threads began them."""
    threads = Path(f"/proc/{parent}/task").glob("*/children")
    below = [int(pid) for thread in threads for pid in thread.read_text().split()]
    return below + [pid for each in below for pid in started_by(each)]


def shown_to_others(pid: int) -> str:
    """What other processes of the account, or of all accounts, may read."""
    return "".join(Path(f"/proc/{pid}/{name}").read_bytes().decode() for name in ("environ", "cmdline"))


def processes_of(data_dir: Path) -> list[str]:
    """What still runs with this folder in its environment or as its current one."""
    found = []
    for process in Path("/proc").glob("[0-9]*"):
        try:
            text = (process / "environ").read_bytes() + os.fsencode((process / "cwd").readlink())
        except OSError:
            continue
        if os.fsencode(data_dir) in text:
            found.append(process.name)
    return found


async def test_one_command_serves_a_lease_and_sigterm_ends_it_all(data_dir: Path) -> None:
    up = Up(data_dir)
    async with running(up):
        lease = await up.probe()
        assert str(lease["address"]).startswith("10.64.")
        leases6 = await up.probe6()
        assert leases6["IA_NA"].startswith("fd64::1:")
        assert IPv6Network(leases6["IA_PD"]).subnet_of(IPv6Network("fd64:1000::/36"))
        asked = dns.message.make_query("nobody.example.", "A")
        answer = await dns.asyncquery.udp(asked, up.dns.host, port=up.dns.port, timeout=5)
        assert answer.rcode() == dns.rcode.REFUSED
        metrics = await health.ask(up.health, "/metrics")
        assert metrics is not None
        assert 'role="dhcp"' in metrics[1]
        assert 'ipam_dns_responses_total{role="dns",code="REFUSED"} 1.0' in metrics[1]
        assert 'ipam_dhcp6_replies_total{role="dhcp6",type="reply"} 1.0' in metrics[1]
        assert 'role="api"' in metrics[1]
        published = re.findall(r'^ipam_dns_publisher{role="(?:dns|worker)"} (\S+)$', metrics[1], re.MULTILINE)
        assert sorted(map(float, published)) == [0.0, 1.0], "one of both is elected"
        password = (data_dir / "postgres.password").read_text()
        children = started_by(up.process.pid)
        assert len(children) >= 6, "five parts and PostgreSQL"
        assert [pid for pid in children if password in shown_to_others(pid)] == []
        assert not (data_dir / bootstrap_code.NAME).exists(), "nobody sees a terminal"
        status, output, _ = await up.end(signal.SIGTERM)
    assert status == 0
    assert "#code=" not in output
    console = f"http://{up.environment['IPAM_API_LISTEN']}/console/"
    for said in ("ipam is ready", console, f"IPAM_DATA_DIR={data_dir} ipam token create --name admin"):
        assert said in output
    assert "Ctrl-C" not in output, "a service's log is no terminal"
    assert processes_of(data_dir) == []
    assert running_dsn(data_dir) is None


async def test_after_sigkill_a_second_start_finds_its_data(prepared_dir: Path) -> None:
    """No part may keep a port, and PostgreSQL, which goes on, is taken over."""
    up = Up(prepared_dir)
    async with running(up):
        lease = await up.probe()
        await make_token(up)
        _, output, _ = await up.end(signal.SIGKILL)
    assert "No token exists yet" in output
    async with running(up):
        assert await lease_count(up) == 1
        assert (await up.probe())["address"] == lease["address"]
        status, output, errors = await up.end(signal.SIGINT)
    assert status == 0
    assert "No token exists yet" not in output
    assert "Traceback" not in errors
    assert processes_of(prepared_dir) == []


async def test_a_terminal_is_shown_the_demonstration_and_a_link_that_makes_the_first_token(
    prepared_dir: Path,
) -> None:
    """An unknown relay, a network boot and names beside the leases; the terminal tells how to see them. The link's code
    is in no log, and a start without a terminal leaves it as it was."""
    file = prepared_dir / bootstrap_code.NAME
    up = Up(prepared_dir)
    shown, errors = await on_a_terminal(up, "--demo", until=sees_them)
    assert "--vendor-class PXEClient --option 93=7" in shown
    assert "The plan is empty" not in shown
    for command in (f"probe --server {up.dhcp} --count", f"probe -6 --server {up.dhcp6} --pd"):
        assert command in shown
    found = re.search(r"(http://127\.0\.0\.1:\d+)/console/#code=([\w-]{22})\s", shown)
    assert found is not None, shown
    assert found[1] == f"http://{up.environment['IPAM_API_LISTEN']}"
    assert found[2] not in errors
    assert file.stat().st_mode & 0o777 == 0o600
    async with running(up):
        headers = {"bootstrap-code": found[2]}
        async with httpx.AsyncClient(base_url=f"{found[1]}/api/v1", headers=headers) as client:
            body = {"name": "admin", "role": "admin"}
            assert (await client.get("/tenants")).status_code == 403
            assert (await client.post("/tokens", json=body)).status_code == 201
            assert (await client.post("/tokens", json=body)).status_code == 401
        assert not file.exists()
        _, output, errors = await up.end(signal.SIGTERM)
    assert found[2] not in output + errors


async def sees_them(up: Up) -> None:
    dsn = running_dsn(up.data_dir)
    assert dsn is not None
    connection = await asyncpg.connect(dsn)

    async def has_unknown_relay() -> bool:
        return [str(relay) for (relay,) in await connection.fetch("select address from unknown_relay")] == [
            str(demo_relay.RELAY)
        ]

    await eventually(has_unknown_relay)
    await connection.close()
    boot: dict[str, Any] = await up.probed(
        *("--server", str(up.dhcp), "--vendor-class", "PXEClient", "--option", "93=7", "--hostname", "laptop")
    )
    assert boot["boot_file"] == "ipxe.efi"

    async def is_named() -> bool:
        asked = dns.message.make_query("laptop.demo.example.", "A")
        answer = await dns.asyncquery.udp(asked, up.dns.host, port=up.dns.port, timeout=5)
        return [str(data) for rrset in answer.answer for data in rrset] == [boot["address"]]

    await eventually(is_named)


async def test_an_empty_plan_says_what_to_do_next(prepared_dir: Path) -> None:
    """Its commands make a network from which a client behind the relay gets an address."""
    shown, _ = await on_a_terminal(Up(prepared_dir), until=follow)
    assert "The plan is empty" in shown
    assert " probe" not in shown


async def follow(up: Up) -> None:
    """Type what the terminal shows."""
    steps = welcome.EMPTY.format(ipam=shlex.join(up.command)).splitlines()
    typed = [step for step in steps if step.startswith("  ")]
    assert len(typed) == 3
    for step in typed:
        told = {**up.environment, "IPAM_API_URL": f"http://{up.environment['IPAM_API_LISTEN']}/api/v1"}
        process = await asyncio.create_subprocess_shell(step, env=told, stderr=asyncio.subprocess.PIPE)
        _, errors = await process.communicate()
        assert process.returncode == 0, errors.decode()


async def nothing_more(_: Up) -> None:
    pass


async def on_a_terminal(
    up: Up, *told: str, until: Callable[[Up], Awaitable[None]] = nothing_more
) -> tuple[str, str]:
    """What `ipam up` shows on a terminal until it is ready and `until` is done, and what it logs."""
    ours, theirs = pty.openpty()
    process = await asyncio.create_subprocess_exec(
        *(*up.command, "up", *told), env=up.environment, stdout=theirs, stderr=asyncio.subprocess.PIPE
    )
    os.close(theirs)
    shown = ""
    while "Ctrl-C stops everything" not in shown:
        shown += (await asyncio.to_thread(os.read, ours, 4096)).decode()
    try:
        await until(up)
    finally:
        process.terminate()
    _, errors = await process.communicate()
    os.close(ours)
    return shown, errors.decode()


async def test_what_is_killed_is_started_again(prepared_dir: Path) -> None:
    """PostgreSQL, then the DHCP server."""
    up = Up(prepared_dir)
    async with running(up):
        lease = await up.probe()
        for kill in (kill_postgresql, kill_dhcp_server):
            await kill(prepared_dir)
            await up.ready()
            assert (await up.probe())["address"] == lease["address"]
            assert await lease_count(up) == 1
        assert "dhcp exited with status -9; restarting" in (await up.end(signal.SIGTERM))[2]


async def kill_postgresql(data_dir: Path) -> None:
    """And wait for another one."""
    killed = processes_below(data_dir / "postgres")
    for pid in map(int, killed):
        with contextlib.suppress(ProcessLookupError):  # it ended along with its parent
            os.kill(pid, signal.SIGKILL)

    async def is_another() -> bool:
        return running_dsn(data_dir) is not None and not killed & processes_below(data_dir / "postgres")

    await eventually(is_another)


def processes_below(folder: Path) -> set[str]:
    found = set()
    for process in Path("/proc").glob("[0-9]*"):
        try:
            if (process / "cwd").readlink() == folder:
                found.add(process.name)
        except OSError:
            continue
    return found


DHCP4 = "\0".join(("", "dhcp", "--family", "4", ""))


async def kill_dhcp_server(data_dir: Path) -> None:
    """And wait for another one."""

    def servers() -> list[str]:
        return [pid for pid in processes_of(data_dir) if command_of(pid).endswith(DHCP4)]

    (killed,) = servers()
    os.kill(int(killed), signal.SIGKILL)

    async def is_another() -> bool:
        return any(pid != killed for pid in servers())

    await eventually(is_another)


def command_of(pid: str) -> str:
    try:
        return Path(f"/proc/{pid}/cmdline").read_text()
    except OSError:
        return ""


async def test_a_database_that_is_named_is_used(data_dir: Path, database: str) -> None:
    up = Up(data_dir, database_url=database)
    async with running(up):
        await up.probe()
        connection = await asyncpg.connect(database)
        assert await connection.fetchval("select count(*) from lease where state = 'a'") == 1
        await connection.close()
    assert not (data_dir / "postgres").exists()


async def test_a_taken_port_is_said_in_one_line_and_nothing_stays(prepared_dir: Path) -> None:
    up = Up(prepared_dir)
    with socket.socket() as taken:
        taken.bind((up.health.host, up.health.port))
        taken.listen()
        await up.start()
        output, errors = await up.process.communicate()
    assert up.process.returncode == 1
    assert errors.decode() == (
        f"ipam: the health address {up.health} is not available: Address already in use\n"
    )
    assert output == b""
    assert processes_of(prepared_dir) == []


async def test_a_part_that_cannot_start_ends_the_start(prepared_dir: Path) -> None:
    up = Up(prepared_dir)
    taken_address = endpoint(up.environment["IPAM_API_LISTEN"])
    with socket.socket() as taken:
        taken.bind((taken_address.host, taken_address.port))
        taken.listen()
        await up.start()
        _, errors = await up.process.communicate()
    assert up.process.returncode == 1
    assert "ipam: api ended with status" in errors.decode()
    assert processes_of(prepared_dir) == []
