"""Everything at once that strangers and one tenant can do to others without a fault of ours: 2,000 half-open HTTP
connections of 40 addresses, 64 idle TCP connections of each of nine addresses to the DNS server, 500 malformed signed
queries a second, and a tenant whose PowerDNS answers slowly and without end.

Other callers are answered within a second, signed queries and the secondary are served, and names of another tenant's
leases reach DNS. How long it lasts is an option (--hostile-seconds).
"""

from __future__ import annotations

import asyncio
import contextlib
import itertools
import os
import re
import subprocess
import sys
import time
from collections.abc import AsyncIterator, Awaitable, Callable, Iterator
from ipaddress import ip_address
from pathlib import Path
from statistics import median
from typing import Any

import asyncpg
import dns.asyncquery
import dns.message
import dns.name
import dns.rcode
import dns.tsig
import dns.xfr
import dns.zone
import httpx
import psutil
import pytest
from outage import hostile as hostile_process
from outage.processes import Role
from ports import free_port
from workers.site import WRITE

from ipam_core.db.connect import create_pool

SOON = 1.0  # within which others are answered
BEGINNING = 5.0  # until all have connected
HALF = 2000  # connections of strangers to the API
MOST_IDLE = 512  # of their 576 to the DNS server, which has places for so many
NAMED = 5.0  # within which a lease has its name
TRIED = 20.0  # within which the test of a server that answers nothing ends
BACKLOG, TRIALS = 200, 8
LIMITS = {"name of a lease": NAMED, "test of the server": TRIED}
SECONDARY, STRANGER = "127.0.0.2", "127.0.0.9"
KEY, SECRET = "copies.", "c2VjcmV0LW9mLXRoZS1rZXktZm9yLXRlc3Rz"
SYSTEMD = (
    "prlimit",
    "--nofile=1024:8192",
)  # as a service begins: the soft limit is for programs that call select()


class Rig:
    """The processes, and how long they take for whom."""

    def __init__(self, api: Role, dns_server: Role, worker: Role, port: int, pool: asyncpg.Pool) -> None:
        self.api = api
        self.dns_server = dns_server
        self.worker = worker
        self.port = port
        self.pool = pool
        self.token = ""
        self.took: dict[str, list[float]] = {}
        self.connected: dict[str, list[int]] = {"API": [], "DNS": []}
        self.bad = ""  # the id of the hostile server
        self.failed: list[str] = []

    async def call(self, method: str, path: str, **body: Any) -> Any:
        transport = httpx.AsyncHTTPTransport(verify=False, local_address=STRANGER)
        headers = {"authorization": f"Bearer {self.token}"} if self.token else {}
        async with httpx.AsyncClient(
            transport=transport, headers=headers, timeout=30, verify=False
        ) as client:
            url = f"http://127.0.0.1:{self.api.api.port}/api/v1{path}"
            answer = await client.request(method, url, json=body or None)
        assert answer.is_success, answer.text
        return answer.json()

    async def measured(self, what: str, work: Callable[[], Awaitable[object]]) -> None:
        began = time.monotonic()
        try:
            async with asyncio.timeout(30):
                await work()
        except Exception as error:  # noqa: BLE001 - every failure is told at the end
            self.failed.append(f"{what}: {error!r}")
        self.took.setdefault(what, []).append(time.monotonic() - began)


@pytest.fixture
async def rig(database: str, tmp_path: Path) -> AsyncIterator[Rig]:
    port = free_port()
    told = {"database_url": database, "outbound_allow": "127.0.0.0/8"}
    roles = [
        Role(tmp_path, "api", before=SYSTEMD, **told),
        Role(tmp_path, "dns", before=SYSTEMD, dns_listen=f"127.0.0.1:{port}", **told),
        Role(tmp_path, "worker", before=SYSTEMD, **told),
    ]
    with contextlib.ExitStack() as stack:
        for role in roles:
            stack.enter_context(role)
            role.ready()
        async with await create_pool(database, max_size=4) as pool:
            yield Rig(*roles, port, pool)


@contextlib.contextmanager
def hostile(rig: Rig, port: int) -> Iterator[None]:
    """hostile.py, as a process of its own: what it is busy with must not count as ours."""
    command = [sys.executable, hostile_process.__file__, str(rig.api.api.port), str(rig.port), str(port)]
    process = subprocess.Popen(command, env=os.environ | {"PYTHONPATH": os.pathsep.join(sys.path)})
    try:
        yield
    finally:
        assert process.poll() is None
        process.kill()
        process.wait()


# --- who is to be served


async def site(rig: Rig, hostile_port: int) -> None:
    rig.token = (await rig.call("POST", "/tokens", name="root", role="admin"))["token"]
    secondary = await rig.call(
        "POST",
        "/dns-servers",
        name="ns2",
        adapter="bind_tsig",
        address=SECONDARY,
        key_name=KEY,
        secret=SECRET,
    )
    zone = await rig.call(
        "POST", "/dns-zones", name="example.org", dns_enabled=True, secondary_ids=[secondary["id"]]
    )
    await rig.call("POST", f"/dns-zones/{zone['id']}/records", name="www", type="A", data="192.0.2.1")
    await tenant(rig, "good", 20, "embedded")
    await tenant(rig, "bad", 30, "powerdns_http", f"http://127.0.0.1:{hostile_port}/")


async def tenant(rig: Rig, name: str, third: int, adapter: str, url: str | None = None) -> None:
    """Its leases of 10.THIRD.0.0/16 have names in NAME.example."""
    owner = (await rig.call("POST", "/tenants", name=name, dns_suffixes=[f"{name}.example"]))["id"]
    prefix = await rig.call("POST", "/prefixes", cidr=f"10.{third}.0.0/16", tenant_id=owner)
    fields: dict[str, Any] = {"ddns_enabled": True, "ddns_adapter": adapter, "ddns_domain": f"{name}.example"}
    if url is None:
        await rig.call("POST", "/dns-zones", name=f"{name}.example", dns_enabled=True, tenant_id=owner)
    else:
        server = await rig.call(
            "POST", "/dns-servers", name=name, adapter=adapter, url=url, secret="secret", tenant_id=owner
        )
        rig.bad = server["id"]
        fields |= {"ddns_dns_server_id": server["id"], "ddns_forward_zone": f"{name}.example"}
    await rig.call("POST", "/subnets", prefix_id=prefix["id"], cidr=f"10.{third}.0.0/16", **fields)


async def lease(rig: Rig, address: str, name: str, number: int) -> None:
    mac = bytes([2, 0, 0]) + number.to_bytes(3, "big")
    await rig.pool.execute(WRITE, ip_address(address), "a", mac, None, None, name, None)


def keyring() -> dict[dns.name.Name, dns.tsig.Key]:
    return {dns.name.from_text(KEY): dns.tsig.Key(KEY, SECRET, "hmac-sha256")}


async def asks(rig: Rig, kind: str, host: str, *, tcp: bool = False, signed: bool = False) -> None:
    message = dns.message.make_query("example.org.", kind)
    if signed:
        message.use_tsig(keyring())
    over = dns.asyncquery.tcp if tcp else dns.asyncquery.udp
    answer = await over(message, "127.0.0.1", port=rig.port, timeout=20, source=host)
    assert answer.answer
    assert answer.had_tsig == signed


async def copies(rig: Rig) -> None:
    zone = dns.zone.Zone("example.org.")
    message, _ = dns.xfr.make_query(zone, None, keyring=keyring())
    await dns.asyncquery.inbound_xfr(
        "127.0.0.1", zone, message, port=rig.port, timeout=20, lifetime=20, source=SECONDARY
    )
    assert zone.get_rdataset("www", "A") is not None


async def is_named(rig: Rig, name: str) -> None:
    while True:
        message = dns.message.make_query(f"{name}.good.example.", "A")
        answer = await dns.asyncquery.udp(message, "127.0.0.1", port=rig.port, timeout=20, source=STRANGER)
        if answer.answer:
            return
        await asyncio.sleep(0.05)


def strangers(port: int) -> int:
    """How many connections to the port are open whose other end is one of hostile.py's."""
    known = [each for each in psutil.net_connections("tcp4") if each.status == psutil.CONN_ESTABLISHED]
    return sum(
        each.laddr.port == port and each.raddr.ip.startswith(("127.0.3.", "127.0.4.")) for each in known
    )


async def is_tried(rig: Rig) -> None:
    """The hostile server, by its tenant's operator; that takes as long as the server likes, but not more."""
    said = await rig.call("POST", f"/dns-servers/{rig.bad}/test")
    assert not said["ok"]


async def watch(rig: Rig, until: float) -> None:
    """One round a second; the bad tenant has a backlog of names, and tries its server all the time."""
    trials: set[asyncio.Task[None]] = set()
    for number in range(BACKLOG):
        await lease(rig, f"10.30.200.{number}", f"late{number}", 2_000_000 + number)
    for number in itertools.count(1):
        if time.monotonic() > until:
            await asyncio.gather(*trials)
            return
        rig.connected["API"].append(strangers(rig.api.api.port))
        rig.connected["DNS"].append(strangers(rig.port))
        if len(trials) < TRIALS:
            trials.add(asyncio.create_task(rig.measured("test of the server", lambda: is_tried(rig))))
        trials = {each for each in trials if not each.done()}
        await lease(rig, f"10.30.{number >> 8}.{number & 255}", f"bad{number}", 1_000_000 + number)
        await lease(rig, f"10.20.{number >> 8}.{number & 255}", f"good{number}", number)
        await asyncio.gather(
            rig.measured("name of a lease", lambda name=f"good{number}": is_named(rig, name)),
            rig.measured("API", lambda: rig.call("GET", "/tenants")),
            rig.measured("UDP", lambda: asks(rig, "SOA", STRANGER)),
            rig.measured("TCP", lambda: asks(rig, "SOA", STRANGER, tcp=True)),
            rig.measured("signed UDP", lambda: asks(rig, "SOA", SECONDARY, signed=True)),
            rig.measured("signed TCP", lambda: asks(rig, "SOA", SECONDARY, tcp=True, signed=True)),
            rig.measured("transfer", lambda: copies(rig)),
            asyncio.sleep(1),
        )


async def refusals(rig: Rig) -> dict[str, float]:
    """That the hostile ones do what they are said to do."""
    page = rig.dns_server.page("/metrics")[1]
    found = re.search(r'^ipam_dns_responses_total{code="FORMERR"} (\S+)$', page, re.MULTILINE)
    attempts = await rig.pool.fetchval(
        "select coalesce(sum(attempts), 0) from ddns_update where fqdn like '%bad.example'"
    )
    return {"FORMERR": float(found[1]) if found else 0.0, "bad updates": float(attempts)}


async def test_others_are_served(rig: Rig, request: pytest.FixtureRequest) -> None:
    seconds = float(request.config.getoption("--hostile-seconds"))
    port = free_port()
    await site(rig, port)
    with hostile(rig, port):
        await asyncio.sleep(BEGINNING)
        before = await refusals(rig)
        await watch(rig, time.monotonic() + seconds)
        ready = [role.readiness() for role in (rig.api, rig.dns_server, rig.worker)]
        after = await refusals(rig)
    print({what: (len(took), round(max(took), 3)) for what, took in rig.took.items()}, before, after)
    print({what: (min(found), max(found)) for what, found in rig.connected.items()})
    # Each begins anew half a second after it was ended.
    assert median(rig.connected["API"]) > HALF * 0.9
    assert median(rig.connected["DNS"]) > MOST_IDLE * 0.9
    assert rig.failed == []
    assert [status for status, _ in ready] == [200, 200, 200], ready
    assert (
        after["FORMERR"] - before["FORMERR"] > 100 * seconds
    )  # the others may have been dropped before they were read
    assert after["bad updates"] > 0
    for what, took in rig.took.items():
        assert len(took) >= seconds / 10
        assert max(took) < LIMITS.get(what, SOON), (what, sorted(took)[-5:])
    for role in (rig.api, rig.dns_server, rig.worker):
        assert len(role.said()) < 100_000
