"""The leases in an export of Windows: they are never imported as such, but reservations can be made of them."""

from collections.abc import Iterator
from typing import NamedTuple

from api.importers import xml_source
from api.importers.plan import Fields
from api.importers.windows.identities import colons, identity, octets
from api.importers.xml_source import Element

BAD = "BAD_ADDRESS"
HELD = ("Active", "ActiveReservation")


class Lease(NamedTuple):
    """`identity`: mac, client_id or duid, in hexadecimal; empty where the file names nobody. `state`: as Windows says
    it: Active, ActiveReservation, InactiveReservation, Declined, Expired. `expires`: as Windows says it, with or
    without a time zone; empty: never. `iaid` is of DHCPv6."""

    line: int
    ip: str
    identity: Fields
    hostname: str
    state: str
    expires: str
    iaid: str = ""

    @property
    def held(self) -> bool:
        """Whether a client has it; a reservation that is there holds it already."""
        return self.state in HELD and self.hostname != BAD and bool(self.identity)


def leases(text: str) -> Iterator[Lease]:
    """Of both families, in the order of the file. Raises SourceError for a file that is no XML."""
    root = xml_source.load(text)
    for server in root.elements("DHCPServer"):
        for family, name in ((4, "IPv4"), (6, "IPv6")):
            for place in server.elements(name):
                for scopes in place.elements("Scopes"):
                    for scope in scopes.elements("Scope"):
                        yield from of_scope(scope, family)


def of_scope(scope: Element, family: int) -> Iterator[Lease]:
    for held in scope.elements("Leases"):
        for each in held.elements("Lease"):
            yield lease(each, family)


def lease(entry: Element, family: int) -> Lease:
    def said(name: str) -> str:
        return entry.text(name) or ""

    duid = octets(said("ClientDuid"))
    return Lease(
        line=entry.line,
        ip=said("IPAddress"),
        identity=identity(said("ClientId")) if family == 4 else {"duid": colons(duid)} if duid else {},
        hostname=said("HostName"),
        state=said("AddressState") or "Active",
        expires=said("LeaseExpiryTime"),
        iaid=said("Iaid"),
    )
