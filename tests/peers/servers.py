"""DNS servers of others on loopback ports, each with a forward and a reverse zone that take dynamic updates."""

import asyncio
import contextlib
import os
import signal
import sqlite3
import subprocess
from collections.abc import AsyncIterator, Mapping
from pathlib import Path
from typing import NamedTuple

import dns.asyncquery
import dns.message
import dns.rdatatype
import httpx
from ports import free_port
from system.peers import environment, program

ZONES = ("lab.example", "20.10.in-addr.arpa", "8.b.d.0.1.0.0.2.ip6.arpa", "2.0.192.in-addr.arpa")
KEY_NAME, SECRET = "ipam-key", "c2VjcmV0LW9mLXRoZS1rZXktZm9yLXRlc3Rz"
API_KEY = "key-of-the-api"
START_SECONDS = 60.0
ZONE_FILE = """$TTL 3600
@ IN SOA ns.{zone}. hostmaster.{zone}. 1 3600 600 86400 60
@ IN NS ns.{zone}.
ns IN A 127.0.0.1
"""


class Peer(NamedTuple):
    """A running server: where it answers, and where its HTTP API is, if it has one."""

    kind: str
    port: int
    url: str = ""
    pid: int = 0  # of the first process of its session

    async def ask(self, name: str, kind: str) -> set[str]:
        """The data of the answer's records of that type."""
        query = dns.message.make_query(name, kind)
        answer = await dns.asyncquery.udp(query, "127.0.0.1", port=self.port, timeout=5)
        wanted = dns.rdatatype.from_text(kind)
        found = {rdata.to_text() for rrset in answer.answer if rrset.rdtype == wanted for rdata in rrset}
        return {text.replace(" ", "") for text in found} if kind == "DHCID" else found


@contextlib.asynccontextmanager
async def running(
    name: str, arguments: list[str], folder: Path, port: int, zone: str = ZONES[0]
) -> AsyncIterator[int]:
    """The program, from when it answers for the zone to its end; the id of its first process."""
    log = folder / f"{name}.log"
    process = begin([str(program(name)), *arguments], folder, log)
    try:
        await answering(process, port, log, zone)
        yield process.pid
    finally:
        with contextlib.suppress(ProcessLookupError):
            os.killpg(process.pid, signal.SIGKILL)
        process.wait()


def begin(
    command: list[str], folder: Path, log: Path, variables: Mapping[str, str] | None = None
) -> "subprocess.Popen[bytes]":
    told = variables or environment()
    with log.open("wb") as output:
        return subprocess.Popen(
            command, cwd=folder, env=told, stdout=output, stderr=output, start_new_session=True
        )


def is_alive(process: "subprocess.Popen[bytes]", log: Path) -> bool:
    """Raises AssertionError with what it said before it ended."""
    if process.poll() is not None:
        raise AssertionError(log.read_text())
    return True


async def answering(process: "subprocess.Popen[bytes]", port: int, log: Path, zone: str) -> None:
    """From a zone of many names, too."""
    peer = Peer("", port)
    async with asyncio.timeout(START_SECONDS):
        while is_alive(process, log):
            with contextlib.suppress(Exception):
                async with asyncio.timeout(0.3):  # what is asked before it listens is lost
                    if await peer.ask(zone, "SOA"):
                        return
            await asyncio.sleep(0.05)


@contextlib.asynccontextmanager
async def bind(folder: Path, transfers: str = "any") -> AsyncIterator[Peer]:
    """`transfers`: who may copy its zones."""
    port = free_port()
    zones = ""
    for number, zone in enumerate(ZONES):
        (folder / f"zone{number}").write_text(ZONE_FILE.format(zone=zone))
        zones += (
            f'zone "{zone}" {{ type primary; file "{folder}/zone{number}";'
            f" update-policy {{ grant {KEY_NAME} zonesub ANY; }}; allow-transfer {{ {transfers}; }}; }};\n"
        )
    (folder / "named.conf").write_text(
        f'key "{KEY_NAME}" {{ algorithm hmac-sha256; secret "{SECRET}"; }};\n'
        f'options {{ directory "{folder}"; pid-file none; session-keyfile "{folder}/session.key";'
        f' managed-keys-directory "{folder}"; listen-on port {port} {{ 127.0.0.1; }}; listen-on-v6 {{ none; }};'
        " recursion no; notify no; dnssec-validation no; };\n"
        f"controls {{ }};\n{zones}"
    )
    arguments = ["-g", "-4", "-n", "1", "-c", str(folder / "named.conf")]
    async with running("named", arguments, folder, port):
        yield Peer("named", port)


@contextlib.asynccontextmanager
async def knot(folder: Path) -> AsyncIterator[Peer]:
    port = free_port()
    zones = ""
    (folder / "db").mkdir()
    for zone in ZONES:
        (folder / f"{zone}.zone").write_text(ZONE_FILE.format(zone=zone))
        zones += f"  - domain: {zone}\n    file: {folder}/{zone}.zone\n    acl: updates\n"
    (folder / "knot.conf").write_text(
        f"server:\n  rundir: {folder}\n  listen: 127.0.0.1@{port}\n"
        f"log:\n  - target: stderr\n    any: info\n"
        f"database:\n  storage: {folder}/db\n"
        f"key:\n  - id: {KEY_NAME}\n    algorithm: hmac-sha256\n    secret: {SECRET}\n"
        f"acl:\n  - id: updates\n    key: {KEY_NAME}\n    action: [update, transfer]\n"
        f"template:\n  - id: default\n    storage: {folder}\nzone:\n{zones}"
    )
    async with running("knotd", ["-c", str(folder / "knot.conf")], folder, port):
        yield Peer("knotd", port)


@contextlib.asynccontextmanager
async def powerdns(folder: Path) -> AsyncIterator[Peer]:
    port, api = free_port(), free_port()
    settings = sqlite_settings(folder, port) | {
        "api": "yes",
        "api-key": API_KEY,
        "webserver": "yes",
        "webserver-address": "127.0.0.1",
        "webserver-port": api,
        "cache-ttl": 0,
        "query-cache-ttl": 0,
        "negquery-cache-ttl": 0,
        "zone-cache-refresh-interval": 0,
    }
    write_powerdns(folder, settings)
    arguments = [f"--config-dir={folder}", "--daemon=no", "--guardian=no"]
    url = f"http://127.0.0.1:{api}"
    making = asyncio.create_task(make_zones(url))
    try:
        async with running("pdns", arguments, folder, port):
            await making
            yield Peer("pdns", port, url)
    finally:
        making.cancel()


def sqlite_settings(folder: Path, port: int) -> dict[str, object]:
    """The database is made here: the server wants to find it."""
    root = program("pdns").parents[2]
    schema = next(root.glob("usr/share/**/pdns-backend-sqlite3/schema*.sqlite3.sql"))
    with contextlib.closing(sqlite3.connect(folder / "pdns.sqlite3")) as database:
        database.executescript(schema.read_text())
    return {
        "launch": "gsqlite3",
        "gsqlite3-database": folder / "pdns.sqlite3",
        "module-dir": next(root.glob("usr/lib/*/pdns")),
        "socket-dir": folder,
        "local-address": "127.0.0.1",
        "local-port": port,
    }


def write_powerdns(folder: Path, settings: Mapping[str, object]) -> None:
    (folder / "pdns.conf").write_text("".join(f"{name}={value}\n" for name, value in settings.items()))


async def make_zones(url: str) -> None:
    """By the API, once it answers."""
    async with httpx.AsyncClient(base_url=url, headers={"x-api-key": API_KEY}) as client:
        for zone in ZONES:
            body = {"name": f"{zone}.", "kind": "Native", "nameservers": [f"ns.{zone}."]}
            while True:
                with contextlib.suppress(httpx.TransportError):
                    answer = await client.post("/api/v1/servers/localhost/zones", json=body)
                    assert answer.status_code == 201, answer.text
                    break
                await asyncio.sleep(0.05)


# --- those that serve what they are given: zones as files, or copied from a primary on a port of this host

BIND_OPTIONS = (
    'options {{ directory "{folder}"; pid-file none; session-keyfile "{folder}/session.key";'
    ' managed-keys-directory "{folder}"; listen-on port {port} {{ 127.0.0.1; }}; listen-on-v6 {{ none; }};'
    " recursion no; notify no; dnssec-validation no; minimal-responses yes; minimal-any yes; {more} }};\n"
    "controls {{ }};\n"
)
NSD_SERVER = (
    'server:\n  username: ""\n  chroot: ""\n  database: ""\n  zonesdir: "{folder}"\n'
    '  zonelistfile: "{folder}/list"\n  xfrdfile: "{folder}/xfrd"\n  xfrdir: "{folder}"\n'
    '  pidfile: "{folder}/pid"\n  ip-address: 127.0.0.1@{port}\n  server-count: 1\n'
    "  xfrd-reload-timeout: 0\n  rrl-ratelimit: 0\nremote-control:\n  control-enable: no\n"
)
KEY_CLAUSE = f'key "{KEY_NAME}" {{ algorithm hmac-sha256; secret "{SECRET}"; }};\n'


def write_zones(folder: Path, zones: Mapping[str, str]) -> dict[str, Path]:
    """As files, with names that are relative to each zone."""
    found = {}
    for number, (zone, text) in enumerate(zones.items()):
        found[zone] = folder / f"zone{number}"
        found[zone].write_text(f"$ORIGIN {zone}.\n{text}")
    return found


@contextlib.asynccontextmanager
async def bind_with(folder: Path, zones: Mapping[str, str]) -> AsyncIterator[Peer]:
    port = free_port()
    config = BIND_OPTIONS.format(folder=folder, port=port, more="check-integrity no;")
    for zone, path in write_zones(folder, zones).items():
        config += f'zone "{zone}" {{ type primary; file "{path}"; check-names ignore; }};\n'
    (folder / "named.conf").write_text(config)
    async with running("named", named_arguments(folder), folder, port, min(zones)):
        yield Peer("named", port)


def named_arguments(folder: Path) -> list[str]:
    return ["-g", "-4", "-n", "1", "-c", str(folder / "named.conf")]


@contextlib.asynccontextmanager
async def knot_with(folder: Path, zones: Mapping[str, str]) -> AsyncIterator[Peer]:
    port = free_port()
    (folder / "db").mkdir()
    listed = "".join(
        f"  - domain: {zone}\n    file: {path}\n" for zone, path in write_zones(folder, zones).items()
    )
    (folder / "knot.conf").write_text(
        f"server:\n  rundir: {folder}\n  listen: 127.0.0.1@{port}\n  udp-workers: 1\n  tcp-workers: 1\n"
        f"log:\n  - target: stderr\n    any: info\n"
        f"database:\n  storage: {folder}/db\ntemplate:\n  - id: default\n    storage: {folder}\n"
        f"    semantic-checks: off\nzone:\n{listed}"
    )
    async with running("knotd", ["-c", str(folder / "knot.conf")], folder, port, min(zones)) as pid:
        yield Peer("knotd", port, pid=pid)


@contextlib.asynccontextmanager
async def nsd_with(folder: Path, zones: Mapping[str, str]) -> AsyncIterator[Peer]:
    port = free_port()
    listed = "".join(
        f'zone:\n  name: "{zone}"\n  zonefile: "{path}"\n'
        for zone, path in write_zones(folder, zones).items()
    )
    (folder / "nsd.conf").write_text(NSD_SERVER.format(folder=folder, port=port) + listed)
    async with running("nsd", ["-d", "-c", str(folder / "nsd.conf")], folder, port, min(zones)) as pid:
        yield Peer("nsd", port, pid=pid)


@contextlib.asynccontextmanager
async def powerdns_on(folder: Path, settings: Mapping[str, object], zone: str) -> AsyncIterator[Peer]:
    """On a database that is filled already, with its caches as they come; `settings` say where that is."""
    port = free_port()
    root = program("pdns").parents[2]
    own = {
        "module-dir": next(root.glob("usr/lib/*/pdns")),
        "socket-dir": folder,
        "local-address": "127.0.0.1",
        "local-port": port,
    }
    write_powerdns(folder, own | dict(settings))
    arguments = [f"--config-dir={folder}", "--daemon=no", "--guardian=no"]
    async with running("pdns", arguments, folder, port, zone) as pid:
        yield Peer("pdns", port, pid=pid)


@contextlib.asynccontextmanager
async def bind_secondary(folder: Path, port: int, zone: str, primary: int) -> AsyncIterator[Peer]:
    (folder / "named.conf").write_text(
        KEY_CLAUSE
        + BIND_OPTIONS.format(folder=folder, port=port, more="")
        + f'zone "{zone}" {{ type secondary; file "{folder}/copy"; masterfile-format text; request-ixfr yes;'
        f" primaries {{ 127.0.0.1 port {primary} key {KEY_NAME}; }}; }};\n"
    )
    async with running("named", named_arguments(folder), folder, port, zone):
        yield Peer("named", port)


@contextlib.asynccontextmanager
async def nsd_secondary(folder: Path, port: int, zone: str, primary: int) -> AsyncIterator[Peer]:
    (folder / "nsd.conf").write_text(
        NSD_SERVER.format(folder=folder, port=port)
        + f'key:\n  name: "{KEY_NAME}"\n  algorithm: hmac-sha256\n  secret: "{SECRET}"\n'
        f'zone:\n  name: "{zone}"\n  zonefile: "copy"\n  request-xfr: 127.0.0.1@{primary} {KEY_NAME}\n'
        f"  allow-notify: 127.0.0.1 {KEY_NAME}\n  provide-xfr: 127.0.0.1 NOKEY\n"
    )
    async with running("nsd", ["-d", "-c", str(folder / "nsd.conf")], folder, port, zone):
        yield Peer("nsd", port)


@contextlib.asynccontextmanager
async def knot_secondary(folder: Path, port: int, zone: str, primary: int) -> AsyncIterator[Peer]:
    (folder / "db").mkdir()
    (folder / "knot.conf").write_text(
        f"server:\n  rundir: {folder}\n  listen: 127.0.0.1@{port}\n  udp-workers: 1\n  tcp-workers: 1\n"
        f"log:\n  - target: stderr\n    any: info\n"
        f"database:\n  storage: {folder}/db\n"
        f"key:\n  - id: {KEY_NAME}\n    algorithm: hmac-sha256\n    secret: {SECRET}\n"
        f"remote:\n  - id: primary\n    address: 127.0.0.1@{primary}\n    key: {KEY_NAME}\n"
        f"acl:\n  - id: told\n    key: {KEY_NAME}\n    action: notify\n"
        f"  - id: copied\n    address: 127.0.0.1\n    action: transfer\n"
        f"template:\n  - id: default\n    storage: {folder}\n"
        f"zone:\n  - domain: {zone}\n    file: {folder}/copy\n    master: primary\n    acl: [told, copied]\n"
    )
    async with running("knotd", ["-c", str(folder / "knot.conf")], folder, port, zone):
        yield Peer("knotd", port)
