"""Permissions to copy a zone, and the servers to notify, from the zone's row and its DNS servers.

They are read again when a change of the configuration is announced, and every ten seconds; while
the database is away the last ones apply. The host name of a secondary is looked up each time.
"""

import asyncio
import contextlib
from collections import ChainMap
from collections.abc import Callable, Iterable, Mapping
from ipaddress import ip_network
from typing import Any, NamedTuple

import dns.exception
import dns.name
import dns.tsig
import structlog

from dhcp_fast.dns_server import rendering, tsig
from ipam_core import faults
from ipam_core.db import queries
from ipam_core.db.connect import connect
from ipam_core.db.outage import FAILED, reason
from ipam_core.errors import FATAL, SecretKeyError
from ipam_core.faults import Rests
from ipam_core.model.values import Address, Network
from ipam_core.outbound.faults import OutboundError
from ipam_core.outbound.guard import Guard, Reach, literal
from ipam_core.secrets import Keyring

SQL = queries.load("dns_image")

READ_SECONDS = 10.0
SETTLE_SECONDS = 0.2
AGAIN_SECONDS = 1.0
PORT = 53
ALGORITHM = "hmac-sha256"
ALGORITHMS = {"hmac-md5": dns.tsig.HMAC_MD5}  # its name in messages differs

Found = dict[tuple[int | None, str], tuple[Address, ...]]  # by tenant and host

log = structlog.get_logger("dns")


class Secondary(NamedTuple):
    """A server that copies a zone; `key` None: it is known by its addresses alone."""

    server_no: int
    host: str
    port: int
    addresses: tuple[Address, ...]
    key: dns.tsig.Key | None
    reach: Reach


class Copying(NamedTuple):
    """Copying of one zone."""

    networks: tuple[Network, ...]
    secondaries: tuple[Secondary, ...]

    def admits(self, address: Address, key: dns.name.Name | None) -> bool:
        """Return whether it is permitted. `key`: by which the query was signed."""
        if any(address in network for network in self.networks):
            return True
        return any(
            address in each.addresses and (each.key is None or each.key.name == key)
            for each in self.secondaries
        )


NOBODY = Copying((), ())


def heard_by_nobody(_zone: bytes) -> None:
    """Ignore new secondaries: the default of `joined`."""


class Secondaries:
    """Call `run` until it is canceled; `by_zone` has the zone's name in wire format as its key.

    `joined` is called with each zone that has a new secondary, or a new address of one, since the
    last reading.
    """

    def __init__(self, dsn: str, keyring: Keyring, guard: Guard) -> None:
        self.dsn = dsn
        self.keyring = keyring
        self.guard = guard
        self.by_zone: dict[bytes, Copying] = {}
        self.keys: dict[dns.name.Name, dns.tsig.Key] = {}
        self.addresses: frozenset[Address] = frozenset()
        self.woken = asyncio.Event()
        self.read = asyncio.Event()
        self.fault = ""
        self.rests = Rests()
        self.joined: Callable[[bytes], None] = heard_by_nobody

    async def run(self) -> None:
        while True:
            try:
                await self.follow()
            except FAILED as error:
                if not self.fault:
                    log.warning("secondaries cannot be read; using the last known ones", error=reason(error))
                self.fault = reason(error)
            except FATAL:
                raise
            except Exception as error:  # noqa: BLE001 - what is served goes on
                faults.caught("dns secondaries", error)
                self.fault = f"{type(error).__name__}; see the log"
                await asyncio.sleep(self.rests.next())
            await asyncio.sleep(AGAIN_SECONDS)

    async def follow(self) -> None:
        connection = await connect(self.dsn, server_settings={"application_name": "ipam dns"})
        try:
            await connection.add_listener("ipam_change", self.wake)
            while True:
                self.woken.clear()
                rows = [row async for row in SQL.read_secondaries(connection)]
                self.take(rows, await self.looked_up(rows))
                self.read.set()
                self.fault = ""
                self.rests.end()
                with contextlib.suppress(TimeoutError):
                    async with asyncio.timeout(READ_SECONDS):
                        await self.woken.wait()
                await asyncio.sleep(SETTLE_SECONDS)
        finally:
            connection.terminate()

    def wake(self, *_notification: object) -> None:
        self.woken.set()

    def take(self, rows: Iterable[Any], addresses: Found) -> None:
        """Take the rows. A row that cannot be read permits nobody anything; the others count."""
        by_zone: dict[bytes, Copying] = {}
        for row in rows:
            try:
                name, found = rendering.zone_name(row["name"]), self.copying(row, addresses)
            except Exception as error:  # noqa: BLE001 - as above
                faults.caught("dns secondary", error, zone=row["name"], server_no=row["server_no"])
                continue
            before = by_zone.get(name, NOBODY)
            by_zone[name] = Copying(found.networks, before.secondaries + found.secondaries)
        named = [each for copying in by_zone.values() for each in copying.secondaries]
        joined = [zone for zone, copying in by_zone.items() if ends_of(copying) - ends_of(self.of(zone))]
        self.by_zone = by_zone
        for zone in joined if self.read.is_set() else ():
            self.joined(zone)
        self.keys = {each.key.name: each.key for each in named if each.key is not None}
        self.addresses = frozenset(address for each in named for address in each.addresses)

    def of(self, zone: bytes) -> Copying:
        return self.by_zone.get(zone, NOBODY)

    def keys_for(self, name: bytes) -> Mapping[dns.name.Name, dns.tsig.Key]:
        """Return the keys by which queries of a name (in wire format, lower case) are signed: first those of the zone
        that it lies in, because keys of two tenants may have one name."""
        while len(name) > 1 and name not in self.by_zone:
            name = name[1 + name[0] :]
        own = {each.key.name: each.key for each in self.by_zone.get(name, NOBODY).secondaries if each.key}
        return ChainMap(own, self.keys) if own else self.keys

    def copying(self, row: Any, addresses: Found) -> Copying:
        """Return the permissions of one row."""
        networks = tuple(ip_network(str(network)) for network in row["transfer_networks"])
        return Copying(networks, (self.secondary(row, addresses),) if row["address"] else ())

    def is_secondary(self, address: Address) -> bool:
        return address in self.addresses

    def secondary(self, row: Any, addresses: Found) -> Secondary:
        """Return one whose key cannot be used is no address of anybody: without its signature it is not admitted."""
        host, port, reach = row["address"], row["port"] or PORT, reach_of(row)
        try:
            found = addresses.get((reach.tenant_no, host), ())
            return Secondary(row["server_no"], host, port, found, self.key_of(row), reach)
        except (SecretKeyError, dns.exception.DNSException, ValueError, NotImplementedError) as error:
            log.warning("a secondary's key cannot be used", address=host, error=type(error).__name__)
            return Secondary(row["server_no"], host, port, (), None, reach)

    async def looked_up(self, rows: Iterable[Any]) -> Found:
        """Return the addresses of every host, by tenant and host."""
        hosts = sorted({(row["tenant_no"], row["address"]) for row in rows if row["address"]})
        found = await asyncio.gather(*(self.addresses_of(*each) for each in hosts))
        return dict(zip(hosts, found, strict=True))

    async def addresses_of(self, tenant_no: int, host: str) -> tuple[Address, ...]:
        """Return none where the host cannot be looked up. Whether an address may be notified is judged when it is."""
        try:
            found = literal(host) or await self.guard.resolve(host, PORT, tenant_no)
        except (OutboundError, ValueError):  # the latter: a name that no name server could be asked for
            return ()
        return tuple(sorted(found, key=str))

    def key_of(self, row: Any) -> dns.tsig.Key | None:
        """Raise SecretKeyError, ValueError for what is no key, or NotImplementedError for its algorithm."""
        if not row["key_name"]:
            return None
        if not row["secret"]:
            raise ValueError("the key has no secret")
        secret = self.keyring.open("dns_server", row["server_id"], row["secret"])
        algorithm = row["key_algorithm"] or ALGORITHM
        key = dns.tsig.Key(dns.name.from_text(row["key_name"]), secret, ALGORITHMS.get(algorithm, algorithm))
        tsig.mac_size(key)
        return key


def ends_of(copying: Copying) -> set[tuple[Address, int]]:
    """Return addresses and ports of the secondaries."""
    return {(address, each.port) for each in copying.secondaries for address in each.addresses}


def reach_of(row: Any) -> Reach:
    """Return how far NOTIFY may go. The operator's own secondaries may be on this host."""
    of_tenant = row["of_tenant"]
    return Reach(row["tenant_no"], of_tenant=of_tenant, on_host=not of_tenant)
