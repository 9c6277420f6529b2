"""Subnets that the tests of a rig divide among themselves: each has a relay address, a pool and clients of its own."""

from collections.abc import Iterable
from dataclasses import dataclass
from ipaddress import IPv4Address, IPv4Network, IPv6Address, IPv6Network
from typing import Any

from outage.databases import connected

from dhcp_fast.bench.servers.bench_plan import add

WIDE = IPv4Network("10.0.0.0/8")
RELAYS = IPv4Network("10.8.1.0/24")


@dataclass(frozen=True)
class Plot:
    """Number `no` of the rig's subnets, 10.128+no.0.0/16, with one pool of `size` addresses."""

    no: int
    size: int
    allocation: str = "hashed"
    lease_seconds: int = 60
    reservations: int = 0
    cache_threshold: float = 0.0  # every renewal is written
    margin_seconds: int = 10

    @property
    def cidr(self) -> IPv4Network:
        return IPv4Network(f"10.{128 + self.no}.0.0/16")

    @property
    def relay(self) -> IPv4Address:
        return RELAYS[self.no]

    @property
    def pool(self) -> tuple[IPv4Address, IPv4Address]:
        return self.cidr[256], self.cidr[256 + self.size - 1]

    def mac(self, number: int) -> bytes:
        """Of client `number` of this subnet."""
        return bytes((2, self.no)) + number.to_bytes(4, "big")


def insert(dsn: str, plots: Iterable[Plot]) -> None:
    """Before any server is started."""

    async def write(connection: Any) -> None:
        tenant = await connection.fetchval("select no from tenant where is_default")
        prefix = await add(connection, "prefix", tenant_no=tenant, cidr=WIDE)
        await add(connection, "trusted_relay", cidr=RELAYS)
        for plot in plots:
            await insert_plot(connection, tenant, prefix, plot)

    connected(dsn, write)


async def insert_plot(connection: Any, tenant: int, prefix: int, plot: Plot) -> None:
    subnet = await add(
        connection,
        "subnet",
        tenant_no=tenant,
        prefix_no=prefix,
        cidr=plot.cidr,
        gateway=plot.cidr[1],
        relay_addresses=[plot.relay],
        lease_time_seconds=plot.lease_seconds,
        cache_threshold=plot.cache_threshold,
        reuse_margin_seconds=plot.margin_seconds,
        decline_quarantine_seconds=QUARANTINE_SECONDS,
    )
    first, last = plot.pool
    await add(connection, "pool", subnet_no=subnet, start_ip=first, end_ip=last, allocation=plot.allocation)
    await connection.execute(
        "insert into reservation (id, subnet_no, ip, mac)"
        " select gen_random_uuid(), $1, $2::inet + n, ('02ff' || lpad(to_hex(n), 8, '0'))::macaddr"
        " from generate_series(1, $3::integer) n",
        subnet,
        plot.cidr[60_000 - plot.reservations],
        plot.reservations,
    )


LATE = Plot(0, 64, "sequential")
FLAPPING = Plot(1, 1000, "sequential")
CUT_OFF = Plot(2, 4000)
BUSY = Plot(3, 4000, reservations=3000)
SEQUENTIAL = Plot(4, 4000, "sequential")
RANDOM = Plot(5, 260, lease_seconds=20)
SHORT = Plot(6, 64, lease_seconds=8)
WIDE_OPEN = Plot(7, 8000)
EARLY = Plot(8, 4000, cache_threshold=0.5)
HASTY = Plot(9, 300, lease_seconds=5, margin_seconds=1)
ALL = (LATE, FLAPPING, CUT_OFF, BUSY, SEQUENTIAL, RANDOM, SHORT, WIDE_OPEN, EARLY, HASTY)


@dataclass(frozen=True)
class Plot6:
    """Number `no` of the campaign's IPv6 subnets: a pool of `size` addresses, and one of as many prefixes at least."""

    no: int
    size: int
    lease_seconds: int = 60

    @property
    def cidr(self) -> IPv6Network:
        return IPv6Network(f"fd00:8:{self.no:x}::/64")

    @property
    def relay(self) -> IPv6Address:
        """The link's address; the packets come from another one."""
        return self.cidr[1]

    @property
    def pool(self) -> tuple[IPv6Address, IPv6Address]:
        return self.cidr[1 << 16], self.cidr[(1 << 16) + self.size - 1]

    @property
    def delegated(self) -> IPv6Network:
        return IPv6Network(f"fd10:{self.no:x}::/{56 - (self.size - 1).bit_length()}")

    def mac(self, number: int) -> bytes:
        return bytes((2, 0x60 + self.no)) + number.to_bytes(4, "big")


def insert_campaign(dsn: str, relay6: str) -> None:
    """The plots of a campaign of both families; `relay6`: where the relay of IPv6 sends from."""

    async def write(connection: Any) -> None:
        tenant = await connection.fetchval("select no from tenant where is_default")
        prefix = await add(connection, "prefix", tenant_no=tenant, cidr=WIDE)
        prefix6 = await add(connection, "prefix", tenant_no=tenant, cidr=WIDE6)
        await add(connection, "trusted_relay", cidr=RELAYS)
        await add(connection, "trusted_relay", cidr=IPv6Network(relay6))
        for plot in CAMPAIGN:
            await insert_plot(connection, tenant, prefix, plot)
        for plot6 in CAMPAIGN6:
            await insert_plot6(connection, tenant, prefix6, plot6)

    connected(dsn, write)


async def insert_plot6(connection: Any, tenant: int, prefix: int, plot: Plot6) -> None:
    subnet = await add(
        connection,
        "subnet",
        tenant_no=tenant,
        prefix_no=prefix,
        cidr=plot.cidr,
        lease_time_seconds=plot.lease_seconds,
        cache_threshold=0.0,
        decline_quarantine_seconds=QUARANTINE_SECONDS,
    )
    first, last = plot.pool
    await add(connection, "pool", subnet_no=subnet, start_ip=first, end_ip=last)
    await add(connection, "pool", subnet_no=subnet, prefix=plot.delegated, delegated_length=56)


WIDE6 = IPv6Network("fd00:8::/32")
QUARANTINE_SECONDS = 30  # so that what is declined does not empty the pools
# A campaign's clients move between the first two; the last one has hardly more addresses than clients.
HOME, AWAY, TIGHT = Plot(10, 4000), Plot(11, 4000, cache_threshold=0.25), Plot(12, 130, "sequential")
HOME6, AWAY6, TIGHT6 = Plot6(1, 2000), Plot6(2, 2000), Plot6(3, 64)
CAMPAIGN, CAMPAIGN6 = (HOME, AWAY, TIGHT), (HOME6, AWAY6, TIGHT6)
