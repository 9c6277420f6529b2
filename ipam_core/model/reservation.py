"""A reservation keeps an address (DHCPv6: or a prefix) for one client; an assignment is held without DHCP."""

from ipaddress import IPv6Network
from typing import Any, Literal

import msgspec
from msgspec import UNSET, UnsetType

from ipam_core.errors import ValidationError
from ipam_core.model.base import Command, Id, Model, Text
from ipam_core.model.subnet import usable
from ipam_core.model.values import (
    Address,
    Aliases,
    Custom,
    Hostname,
    Mac,
    Network,
    Octets,
    Tags,
    TextOrOctets,
)

IDENTITIES = ("mac", "duid", "client_id", "circuit_id", "remote_id", "subscriber_id")
LENGTHS = {
    "duid": (3, 130, "RFC 8415 section 11.1"),
    "client_id": (1, 255, "option 61"),
}
AliasRecords = Literal["cname", "address"]
CNAME: AliasRecords = "cname"
NEVER_DELEGATED = tuple(map(IPv6Network, ("::/8", "fe80::/10", "ff00::/8")))
"""Loopback and embedded IPv4, link-local, multicast; everything overlaps the whole of ::/0."""


class NewReservation(Command, kw_only=True, frozen=True):
    ip: Address | UnsetType | None = UNSET
    """Address that the client gets. Left out: the next free address of the subnet. Null: none; the reservation only
    sets hostname, options and class."""

    prefix: Network | None = None
    """IPv6 prefix that is delegated to the client. Null: none."""

    excluded_prefix: Network | None = None
    """Part of the prefix that is excluded from delegation (RFC 6603); it is sent to clients that request it. Null:
    that of the delegation pool around the prefix, if any."""

    mac: Mac | None = None
    """Hardware address of the client, in any notation; unique in the subnet. At least one identity is required."""

    duid: Octets | None = None
    """DUID of the client (RFC 8415 section 11), 3 to 130 octets in hex. In IPv4 subnets: the DUID in an RFC 4361
    client identifier."""

    client_id: Octets | None = None
    """DHCPv4 client identifier (option 61), 1 to 255 octets in hex with the type octet, such as
    01:aa:bb:cc:dd:ee:ff."""

    circuit_id: TextOrOctets | None = None
    """Circuit ID of the client's line (option 82.1, or the Interface-Id from the DHCPv6 relay agent nearest to the
    client), as text or 0x octets."""

    remote_id: TextOrOctets | None = None
    """Remote ID from the relay agent (option 82.2, or DHCPv6 option 37, with or without the enterprise number), as
    text or 0x octets."""

    subscriber_id: TextOrOctets | None = None
    """Subscriber ID from the relay agent (option 82.6, or DHCPv6 option 38), as text or 0x octets."""

    hostname: Hostname | None = None
    """Hostname that the client gets (option 12) and that its DNS records have. Null: the client's own."""

    aliases: Aliases = ()
    """Further names of the address, at most 32, unique and in lower case: one label in the subnet's domain, or a name
    in a zone of the tenant. They do not count as managed addresses. A change replaces the whole list."""

    alias_records: AliasRecords = CNAME
    """How aliases are published. `cname`: as CNAME records to the hostname; no other record may have such a name.
    `address`: as A or AAAA records, and several objects may share a name."""

    class_id: Id | None = None
    """Client class of the client, in addition to those whose conditions match. Null: none."""

    description: Text = ""
    tags: Tags = ()
    custom: Custom = msgspec.field(default_factory=dict)


class NewReservationAnywhere(NewReservation, kw_only=True, frozen=True):
    """Reservation of a client. Without a subnet it applies in all subnets of the tenant and has no address."""

    subnet_id: Id | None = None
    """Subnet of the reservation. Left out: it applies in all subnets of the tenant and has no address."""

    tenant_id: Id | None = None
    """Tenant of a reservation for all subnets. Left out: the tenant of the token, else the default tenant."""


class Reservation(Model, kw_only=True, frozen=True):
    subnet_id: str | None
    """Subnet of the reservation. Null: it applies in all subnets of its tenant."""

    ip: str | None
    """Address that the client gets. Null: none; the reservation only sets hostname, options, class or prefix."""

    prefix: str | None
    excluded_prefix: str | None
    mac: str | None
    duid: str | None
    client_id: str | None
    circuit_id: str | None
    remote_id: str | None
    subscriber_id: str | None
    hostname: str | None
    aliases: list[str]
    alias_records: str
    class_id: str | None
    tenant_id: str | None
    """Tenant of a reservation for all subnets. Null if the reservation belongs to one subnet."""

    description: str
    tags: list[str]
    custom: dict[str, Any]


class AssignmentFields(Command, kw_only=True, frozen=True):
    """Fields that may be changed later."""

    hostname: Hostname
    """Hostname of the host, used for its DNS records."""

    aliases: Aliases = ()
    alias_records: AliasRecords = CNAME
    ip: Address | UnsetType = UNSET
    """The address of the host, which may be in an exclusion. Left out: the next free address of the subnet."""

    description: Text = ""
    tags: Tags = ()
    custom: Custom = msgspec.field(default_factory=dict)


class NewAssignment(AssignmentFields, kw_only=True, frozen=True):
    subnet_id: Id | None = None
    """Subnet of the address. Left out: the subnet of the tenant that contains the address."""


class Assignment(Model, kw_only=True, frozen=True):
    subnet_id: str
    """Subnet of the object. It cannot be changed."""

    ip: str
    """The address of the host."""

    hostname: str
    """Hostname of the host, used for its DNS records."""

    aliases: list[str]
    alias_records: str
    description: str
    tags: list[str]
    custom: dict[str, Any]


def check_reservation(wanted: NewReservation, cidr: Network) -> None:
    """Raise ValidationError unless a client that the servers can recognise gets something that they can give."""
    check_identity(wanted, cidr.version)
    if wanted.prefix is not None:
        check_prefix(wanted.prefix, cidr)
    check_kept(wanted.excluded_prefix, wanted.prefix)
    if wanted.ip is not None and wanted.ip is not UNSET:
        check_host(wanted.ip, cidr)


def check_everywhere(wanted: NewReservation) -> None:
    """Check a reservation that applies in all subnets of its tenant, of both families."""
    check_identity(wanted, None)
    for name in ("ip", "prefix", "excluded_prefix"):
        if getattr(wanted, name) not in (None, UNSET):
            raise ValidationError(name, "requires a subnet: set subnet_id")


def check_aliases(aliases: Aliases, hostname: str | None, *, has_address: bool) -> None:
    """Raise ValidationError unless the aliases are further names of an address that has a host name."""
    if not aliases:
        return
    if hostname is None:
        raise ValidationError("aliases", "require hostname: set it too, or leave out the aliases")
    if not has_address:
        raise ValidationError("aliases", "require ip: set it too, or leave out the aliases")
    if hostname.lower() in aliases:
        raise ValidationError("aliases", f"{hostname} is the hostname itself: leave it out")


def check_identity(wanted: NewReservation, version: int | None) -> None:
    recognised = IDENTITIES if version != 6 else tuple(name for name in IDENTITIES if name != "client_id")
    if all(getattr(wanted, name) is None for name in recognised):
        field = "client_id" if version == 6 and wanted.client_id is not None else "mac"
        where = f" in a subnet of IPv{version}" if version else ""
        raise ValidationError(field, f"at least one of {', '.join(recognised)} is required{where}")
    for name, (shortest, longest, source) in LENGTHS.items():
        octets = getattr(wanted, name)
        if octets is not None and not shortest <= len(octets) <= longest:
            raise ValidationError(name, f"must be {shortest} to {longest} octets ({source})")


def check_prefix(prefix: Network, cidr: Network) -> None:
    if prefix.version != 6:
        raise ValidationError("prefix", "must be an IPv6 prefix: only IPv6 prefixes are delegated")
    if cidr.version != 6:
        raise ValidationError("prefix", "requires an IPv6 subnet: only IPv6 prefixes are delegated")
    for never in NEVER_DELEGATED:
        if prefix.overlaps(never):
            raise ValidationError("prefix", f"{prefix} overlaps {never}, which is not a network for clients")


def check_kept(excluded: Network | None, prefix: Network | None) -> None:
    """Raise ValidationError unless what the client leaves to its link is a part of its reserved prefix."""
    if excluded is not None and prefix is None:
        raise ValidationError("excluded_prefix", "requires prefix: set it too, or set this field to null")
    if isinstance(prefix, IPv6Network):
        check_excluded(excluded, prefix, "the reserved prefix")


def check_excluded(excluded: Network | None, delegated: IPv6Network, called: str) -> None:
    """Raise ValidationError unless the excluded prefix is a part of the delegated one, not all of it (RFC 6603)."""
    if excluded is None:
        return
    inside = isinstance(excluded, IPv6Network) and excluded.subnet_of(delegated)
    if not inside or excluded.prefixlen == delegated.prefixlen:
        raise ValidationError("excluded_prefix", f"must be a smaller part of {delegated}, {called}")


def check_host(address: Address, cidr: Network) -> None:
    if not usable(address, cidr):
        raise ValidationError("ip", f"{address} is not an address of a host in {cidr}")
