"""Kea's perfdhcp against our server: does a second generator, not ours, see every exchange answered?

    .venv/bin/python -m benchmarks.perfdhcp                 # every mix, five seconds each
    .venv/bin/python -m benchmarks.perfdhcp --seconds 2
    .venv/bin/python -m benchmarks.perfdhcp --family 6      # DHCPv6: addresses, prefixes, both

perfdhcp begins so many new exchanges a second, whatever comes back, and beside them renews and releases some of
the leases that it got. Each mix first runs against a stub that decides nothing, to find the highest rate that
perfdhcp itself manages without a drop, twice. Ours is then driven at 8,000 exchanges a second (5,000 of DHCPv6),
renewals and releases among them, or at four fifths of that ceiling, whichever is lower. Every renewal is a write
(`cache_threshold` 0). The exit code is 1 when one exchange was dropped, or PostgreSQL does not hold what was
acknowledged and released. `lost there` are packets that overflowed perfdhcp's own socket: answered, and dropped
all the same. It holds some 200 replies, fewer than come while perfdhcp waits for a processor beside PostgreSQL; so
perfdhcp has a better priority than the others, in all runs, where the account may give it one.

perfdhcp plays a relay and listens on port 67 or 547, so everything runs in a network namespace of its own.
"""

import argparse
import asyncio
import fcntl
import os
import re
import socket
import struct
import subprocess
import sys
import time
from collections.abc import Callable, Sequence
from ipaddress import IPv6Address
from pathlib import Path
from typing import NamedTuple

from dhcp_fast.bench.report.machine import in_words, machine
from dhcp_fast.bench.servers import bench_plan6, servers
from dhcp_fast.bench.servers.databases import FOLDER
from dhcp_fast.bench.servers.kea import PEERS, PeerMissingError, library_path
from ipam_core.db.connect import connect

SHARE = 0.8
STEPS = 5
TRIES = 2
REACHED = 0.95
CLIENTS = 1_000_000_000
LATE_MICROSECONDS = 500_000
WRITTEN_SECONDS = 10.0
SET_FLAGS, UP = 0x8914, 1  # SIOCSIFFLAGS, IFF_UP of linux/sockios.h and linux/if.h
SET_ADDRESS, LOOPBACK_INDEX = 0x8916, 1  # SIOCSIFADDR; the first interface of a namespace

SECTION = re.compile(r"\*\*\*Statistics for: (?P<name>.+)\*\*\*")
FIGURE = re.compile(
    r"^(?P<name>sent packets|received packets|drops|orphans|avg delay|max delay): (?P<value>[\d.]+)"
)

# By history: an address that was released may be another client's a moment later. In a DUID made of a MAC (LLT) that
# begins with the ninth octet.
WRITTEN = """
select count(*) filter (where kind = 'g'), count(distinct coalesce(duid, hw_address)) filter (where kind = 'g'),
  count(*) filter (where kind = 'n'), count(*) filter (where kind = 'r')
from lease_event where coalesce(substr(duid, 9, 2), substr(hw_address, 1, 2)) = $1"""


class Mix(NamedTuple):
    """Renewals and releases a new exchange; perfdhcp allows at most one of both together. `kind`: perfdhcp's -e, of
    DHCPv6; `leases` of one exchange."""

    name: str
    renew: float = 0.0
    release: float = 0.0
    kind: str = "address-only"
    leases: int = 1

    def new_of(self, rate: int) -> int:
        """Return the new exchanges a second where all together are `rate`."""
        return int(rate / (1 + self.renew + self.release))


MIXES = (
    Mix("new"),
    Mix("new, renew", renew=0.5),
    Mix("new, release", release=0.5),
    Mix("new, renew, release", renew=0.5, release=0.5),
)
BOTH = {"kind": "address-and-prefix", "leases": 2}
MIXES6 = (
    *MIXES,
    Mix("prefixes", kind="prefix-only"),
    Mix("both", **BOTH),
    Mix("both, renew, release", 0.5, 0.5, **BOTH),
)


class Family(NamedTuple):
    """Family of perfdhcp's packets. `goal`: exchanges a second; `relay`: its own address. `goal`: exchanges a second;
    `relay`: its own address."""

    number: int
    goal: int
    mixes: tuple[Mix, ...]
    relay: str

    @property
    def ceiling(self) -> int:
        """More than perfdhcp is asked to manage."""
        return int(self.goal / SHARE)


FAMILIES = {
    4: Family(4, 8000, MIXES, servers.LOOPBACK),
    6: Family(6, 5000, MIXES6, str(bench_plan6.SUBNET[2])),
}


class Exchange(NamedTuple):
    """Exchanges of one kind in a report; delays in milliseconds, 0 without an answer."""

    sent: int = 0
    received: int = 0
    drops: int = 0
    orphans: int = 0
    mean_ms: float = 0.0
    max_ms: float = 0.0


class Report(NamedTuple):
    """Report of perfdhcp at its end. Nothing answers a RELEASE of DHCPv4; perfdhcp counts it as dropped, we do not."""

    offers: Exchange
    acks: Exchange
    renewals: Exchange
    releases: Exchange

    @property
    def drops(self) -> int:
        return self.offers.drops + self.acks.drops + self.renewals.drops + self.releases.drops

    @property
    def strays(self) -> int:
        """Replies nobody asked for. perfdhcp looks for an ACK of a renewal among the new exchanges first."""
        return self.offers.orphans + self.acks.orphans - self.renewals.received + self.renewals.orphans


def command(
    server: tuple[str, int], local: str, mix: Mix, rate: int, seconds: int, group: int, family: int = 4
) -> list[str]:
    """Return perfdhcp's words; the clients' MACs are 02:`group` and four octets that count up, their DUIDs made of
    them. In DHCPv6 it is a relay whose link-address is the address that it sends from (-A1)."""
    words: list[object] = [program(), f"-{family}", *(["-A1", "-e", mix.kind] if family == 6 else [])]
    words += ["-l", local, "-N", server[1], "-R", CLIENTS, "-r", rate]
    words += ["-p", seconds, "-b", f"mac=02:{group:02x}:00:00:00:00", "-W", LATE_MICROSECONDS]
    if mix.renew:
        words += ["-f", int(rate * mix.renew)]
    if mix.release:
        words += ["-F", int(rate * mix.release)]
    return [str(word) for word in [*words, server[0]]]


SECTIONS = {
    4: ("DISCOVER-OFFER", "REQUEST-ACK", "REQUEST-ACK (renewal)", "RELEASE"),
    6: ("SOLICIT-ADVERTISE", "REQUEST-REPLY", "RENEW-REPLY", "RELEASE-REPLY"),
}


def read_report(text: str, family: int = 4) -> Report:
    """Return the sections by their names; one that is not there is all zero."""
    sections: dict[str, dict[str, float]] = {}
    current: dict[str, float] = {}
    for line in text.splitlines():
        if found := SECTION.match(line):
            current = sections.setdefault(found["name"], {})
        elif figure := FIGURE.match(line):
            current[figure["name"]] = float(figure["value"])
    found = Report(*(exchange(sections.get(name, {})) for name in SECTIONS[family]))
    return found if family == 6 else found._replace(releases=found.releases._replace(drops=0))


def exchange(figures: dict[str, float]) -> Exchange:
    counts = (int(figures.get(name, 0)) for name in ("sent packets", "received packets", "drops", "orphans"))
    return Exchange(*counts, figures.get("avg delay", 0.0), figures.get("max delay", 0.0))


def program() -> Path:
    found = PEERS / "root/usr/sbin/perfdhcp"
    if not found.exists():
        raise PeerMissingError("perfdhcp is not under .peers (tests/system/fetch_peers.sh fetches it)")
    return found


def drive(
    server: tuple[str, int], mix: Mix, rate: int, seconds: int, group: int, family: Family = FAMILIES[4]
) -> Report:
    told = command(server, family.relay, mix, rate, seconds, group, family.number)
    words = ["nice", "-n", "-10", *told]
    environment = {"LD_LIBRARY_PATH": library_path(), "PATH": os.defpath}
    done = subprocess.run(
        words, env=environment, capture_output=True, text=True, timeout=seconds + 30, check=False
    )
    report = read_report(done.stdout, family.number)
    if not report.offers.sent:
        raise PeerMissingError(f"perfdhcp: {done.stderr.strip() or done.stdout.strip()}")
    return report


def ceiling(mix: Mix, seconds: int, family: Family) -> int:
    """Return the highest rate without a drop against the stub, as far as it matters."""
    low, high = 0, family.ceiling
    with servers.stub(servers.Setup(family=family.number)) as stub:
        if manages(stub.address, mix, high, seconds, family):
            return high
        for _ in range(STEPS):
            middle = (low + high) // 2
            if manages(stub.address, mix, middle, seconds, family):
                low = middle
            else:
                high = middle
    return low


def manages(stub: tuple[str, int], mix: Mix, rate: int, seconds: int, family: Family) -> bool:
    """Return whether it manages the rate more than once: perfdhcp shares the machine, and may be lucky."""
    new = mix.new_of(rate)
    reports = (drive(stub, mix, new, seconds, 0, family) for _ in range(TRIES))
    return all(r.drops == 0 and r.offers.sent >= REACHED * new * seconds for r in reports)


class Figures(NamedTuple):
    mix: Mix
    ceiling: int
    rate: int
    report: Report
    lost_there: int
    kept: bool
    family: Family


async def kept(dsn: str, group: int, report: Report, leases: int = 1) -> bool:
    """Return a grant for each lease acknowledgement, one a client, and each renewal and release; the last take a
    moment."""
    deadline = time.monotonic() + WRITTEN_SECONDS
    connection = await connect(dsn)
    try:
        while not agree(await connection.fetchrow(WRITTEN, bytes((2, group))), report, leases):
            if time.monotonic() > deadline:
                return False
            await asyncio.sleep(0.1)
    finally:
        await connection.close()
    return True


def agree(written: Sequence[int], report: Report, leases: int = 1) -> bool:
    """Return whether the counts agree: written leases may exceed received ones only by the packets
    lost on the way. `leases` of one exchange.
    """
    granted, clients, renewed, released = written
    return (
        clients * leases == granted
        and 0 <= granted - leases * report.acks.received <= leases * report.acks.drops
        and 0 <= renewed - leases * report.renewals.received <= leases * report.renewals.drops
        and released == leases * report.releases.sent
    )


def overflows(port: int) -> tuple[int, int]:
    """Return datagrams lost at full sockets of this namespace, of either family: at all, and at the one bound to
    `port`."""
    net = Path("/proc/self/net")
    names, values = (line.split() for line in lines_of(net / "snmp") if line.startswith("Udp:"))
    lost = int(values[names.index("RcvbufErrors")])
    lost += sum(
        int(line.split()[1]) for line in lines_of(net / "snmp6") if line.startswith("Udp6RcvbufErrors")
    )
    sockets = [line.split() for name in ("udp", "udp6") for line in lines_of(net / name)[1:]]
    return lost, sum(int(fields[-1]) for fields in sockets if fields[1].endswith(f":{port:04X}"))


def lines_of(path: Path) -> list[str]:
    return path.read_text().splitlines()


def drive_ours(
    server: servers.OurServer, mix: Mix, most: int, seconds: int, group: int, family: Family
) -> Figures:
    rate = min(family.goal, int(most * SHARE))
    before, before_ours = overflows(server.address[1])
    report = drive(server.address, mix, mix.new_of(rate), seconds, group, family)
    after, after_ours = overflows(server.address[1])
    there = (after - before) - (after_ours - before_ours)
    held = asyncio.run(kept(server.dsn, group, report, mix.leases))
    return Figures(mix, most, rate, report, there, held, family)


def measure(seconds: int, family: Family, say: Callable[[str], None]) -> list[Figures]:
    ceilings = [ceiling(mix, seconds, family) for mix in family.mixes]
    found = []
    with servers.ours(servers.Setup(cache_threshold=0.0, family=family.number)) as server:
        drive(server.address, family.mixes[-1], family.goal // 40, 1, 0xFF, family)
        for group, (mix, most) in enumerate(zip(family.mixes, ceilings, strict=True), start=1):
            found.append(drive_ours(server, mix, most, seconds, group, family))
            say(row(found[-1]))
    return found


HEAD = (
    "| mix | ceiling | in all/s | new/s | renew/s | release/s | exchanges | drops | lost there | mean ms | max ms"
    " | kept |\n"
    "|---|---|---|---|---|---|---|---|---|---|---|---|"
)


def row(figures: Figures) -> str:
    """Return a line of the table."""
    mix, most, rate, report, there, held, family = figures
    shown = f"at least {most:,}" if most == family.ceiling else f"{most:,}"
    done = report.acks.received + report.renewals.received + report.releases.sent
    mean = report.offers.mean_ms + report.acks.mean_ms
    slowest = max(report.offers.max_ms, report.acks.max_ms, report.renewals.max_ms)
    new = mix.new_of(rate)
    rates = (f"{value:,.0f}" for value in (rate, new, new * mix.renew, new * mix.release))
    cells = (
        mix.name,
        shown,
        *rates,
        f"{done:,}",
        report.drops,
        there,
        f"{mean:.2f}",
        f"{slowest:.1f}",
        "all" if held else "NOT ALL",
    )
    return f"| {' | '.join(map(str, cells))} |"


def in_namespace(arguments: Sequence[str]) -> int:
    """Run this program again, in a network namespace of its own; not as root, with the rights that it needs there."""
    own = ["--net"] if os.geteuid() == 0 else ["--user", "--map-current-user", "--keep-caps", "--net"]
    again = ["unshare", *own, sys.executable, "-m", "benchmarks.perfdhcp", "--here", *arguments]
    return subprocess.run(again, check=False).returncode


def raise_loopback() -> None:
    """Raise the loopback of a new namespace, which is down; `struct ifreq` is the name and the flags."""
    with socket.socket(socket.AF_INET, socket.SOCK_DGRAM) as any_socket:
        fcntl.ioctl(any_socket, SET_FLAGS, struct.pack("16sh14x", b"lo", UP))


def add_address(address: str) -> None:
    """Add an address to the loopback interface; `struct in6_ifreq` is the address, its length and the interface."""
    with socket.socket(socket.AF_INET6, socket.SOCK_DGRAM) as any_socket:
        told = struct.pack("16sIi", IPv6Address(address).packed, 128, LOOPBACK_INDEX)
        fcntl.ioctl(any_socket, SET_ADDRESS, told)


def main(arguments: Sequence[str]) -> int:
    parser = argparse.ArgumentParser(prog="python -m benchmarks.perfdhcp")
    parser.add_argument("--seconds", type=int, default=5, help="of each run")
    parser.add_argument("--family", type=int, choices=sorted(FAMILIES), default=4)
    parser.add_argument(
        "--here", action="store_true", help="in this network namespace: port 67 or 547 must be free"
    )
    request = parser.parse_args(arguments)
    family = FAMILIES[request.family]
    if not request.here:
        return in_namespace(arguments)
    raise_loopback()
    if family.number == 6:
        add_address(family.relay)
    print(in_words(machine(FOLDER)), HEAD, sep="\n\n", flush=True)
    found = measure(request.seconds, family, lambda line: print(line, flush=True))
    return 0 if all(figures.kept and not figures.report.drops for figures in found) else 1


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
