"""Adapters to the DNS servers of others, a kind of server a module.

    update.py       dynamic updates (RFC 2136): what is said for a name, and under which conditions (RFC 4703)
    bind_tsig.py    sent over TCP, signed with a shared key (RFC 8945)
    ad_gsstsig.py   sent over TCP, signed by a security context (RFC 3645): Active Directory, BIND with Kerberos
    kerberos.py     whose credentials begin such a context; krb5_conf.py: the realms whose KDCs this machine names
    confirm.py      what became of an update whose answer does not verify, by queries
    reading.py      what a server of dynamic updates has
    powerdns_http.py   PowerDNS's HTTP API
    embedded.py     the zones of our own database

An adapter adds and removes the address of one name, forward and reverse, and says what is wrong in words that an
operator can act on.
"""

from collections.abc import AsyncIterator, Awaitable, Callable, Collection, Mapping
from contextlib import asynccontextmanager
from ipaddress import IPv4Address, IPv6Address
from typing import Literal, NamedTuple, Protocol

import msgspec

from ipam_core.dns import dhcid, reverse
from ipam_core.dns.names import cuts
from ipam_core.model.dns_server import DnsServer, DnsServerTest, DnsServerTestStep
from ipam_core.outbound.faults import Kind, OutboundError

COMPARED = ("A", "AAAA", "CNAME", "PTR")
FINAL = (Kind.FORBIDDEN, Kind.SIZE)  # faults of a connection that another try would meet again
LEASE = "lease"
ConflictMode = Literal["check_dhcid", "check_exists_dhcid", "no_check_with_dhcid", "no_check_without_dhcid"]


class UpdateError(Exception):
    """What became of an update, in words for an operator."""


class Unreachable(UpdateError):
    """Nobody answered, or could not just now: it is tried again."""


class Refused(UpdateError):
    """The server will not, and trying again changes nothing by itself; `code` is its answer's, where it gave one."""

    def __init__(self, said: str, code: int | None = None) -> None:
        super().__init__(said)
        self.code = code


class NameConflict(UpdateError):
    """The name is another's, or in use (RFC 4703)."""


class PutOff(UpdateError):
    """Another update goes before, and one that was put into the outbox behind it takes this one's place."""


@asynccontextmanager
async def speaking() -> AsyncIterator[None]:
    """Turn what goes wrong with a connection into an UpdateError."""
    try:
        yield
    except OutboundError as error:
        raise (Refused if error.kind in FINAL else Unreachable)(str(error)) from None


class Change(msgspec.Struct, frozen=True):
    """One address of one name, or one alias. `fqdn` and zones without the closing dot; a zone that is None is not
    written to. `dhcid` is the record's data (RFC 4701); `ttl` in seconds. `keeps_name`: the name has another address of
    the same owner, so that its mark stays; `is_claimed`: that owner asks for something else at the name. `entries`: all
    data that the record set is to have, with their sources; None: this one where it is added, none where it is removed.
    `shares`: records of other types are no hindrance, because an operator has the name or a client gets it back.
    `before`: the mark that the owner's replaces; empty: records of ours that have none. `target`: the name is an alias,
    by a CNAME record to this one, which has no mark."""

    fqdn: str
    ip: IPv4Address | IPv6Address
    forward_zone: str | None
    reverse_zone: str | None
    ttl: int
    dhcid: bytes | None
    conflict_mode: ConflictMode
    keeps_name: bool = False
    is_claimed: bool = False
    source: str = LEASE
    entries: Mapping[str, str] | None = None
    shares: bool = False
    before: bytes | None = None
    target: str | None = None

    def data(self, *, adds: bool) -> dict[str, str]:
        """Return the data of the name's record set, with their sources, once this is added or removed."""
        if self.entries is not None:
            return dict(self.entries)
        return {self.own_data: self.source} if adds else {}

    @property
    def own_data(self) -> str:
        """Of the forward record of this change alone."""
        return str(self.ip) if self.target is None else f"{self.target}."

    @property
    def kind(self) -> str:
        """Of the forward record."""
        if self.target is not None:
            return "CNAME"
        return "A" if self.ip.version == 4 else "AAAA"

    @property
    def mark(self) -> str | None:
        """The owner's DHCID in presentation format; None: the name is to bear none."""
        if self.dhcid is None or self.conflict_mode == "no_check_without_dhcid":
            return None
        return dhcid.as_text(self.dhcid)

    @property
    def replaced_mark(self) -> str | None:
        """The mark of the owner before, in presentation format."""
        return dhcid.as_text(self.before) if self.before and self.mark is not None else None

    @property
    def is_unmarked(self) -> bool:
        """Whether what stands there is ours and bears no mark: versions before wrote assignments so."""
        return self.before == b""

    @property
    def cuts(self) -> list[str]:
        """Absolute names at which a delegation would take the name out of its zone."""
        return (
            [] if self.forward_zone is None else [f"{name}." for name in cuts(self.fqdn, self.forward_zone)]
        )

    @property
    def is_checked(self) -> bool:
        """Whether the mark that is there decides."""
        return self.conflict_mode in ("check_dhcid", "check_exists_dhcid")

    @property
    def pointer(self) -> str:
        """The owner of the PTR record, with the closing dot. Raises Refused where the zone does not hold the
        address."""
        name = reverse.pointer_name(self.ip, self.reverse_zone or "")
        if name is None:
            raise Refused(f"{self.ip} is not in the zone {self.reverse_zone}")
        return f"{name}."


Step = DnsServerTestStep
TestResult = DnsServerTest


class Found(NamedTuple):
    """Data of a server by absolute lowercase name and type, of A, AAAA, CNAME and PTR records. `complete`: of the whole
    zone, else of the names that were asked for. `ours`: what surely follows leases, where the server can tell."""

    records: dict[tuple[str, str], set[str]]
    complete: bool
    ours: frozenset[tuple[str, str, str]] = frozenset()


class Adapter(Protocol):
    """Adapter to one DNS server. All raise UpdateError."""

    async def add(self, change: Change) -> None:
        """Add both records, in place of this client's former ones."""

    async def remove(self, change: Change) -> None:
        """Remove both records, if they are still this client's."""

    async def test(self, zones: list[str]) -> TestResult:
        """Return whether updates of these zones would be taken; never raises UpdateError."""

    async def read(self, zone: str, names: Collection[str]) -> Found:
        """Read the zone, or these absolute names where the server does not give it whole."""

    async def close(self) -> None:
        """Give back what it holds."""


Make = Callable[[DnsServer, str | None], Awaitable[Adapter]]
