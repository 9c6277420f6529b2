"""A reservation keeps an address (DHCPv6: or a prefix) for one client; an assignment is held without DHCP."""

from ipam_core.errors import ValidationError
from ipam_core.model.base import Command, Id, Model, Text
from ipam_core.model.subnet import usable
from ipam_core.model.values import Address, Hostname, Mac, Network, Octets, TextOrOctets

IDENTITIES = ("mac", "duid", "client_id", "circuit_id")


class NewReservation(Command, kw_only=True, frozen=True):
    ip: Address | None = None
    prefix: Network | None = None
    mac: Mac | None = None
    duid: Octets | None = None
    client_id: Octets | None = None
    circuit_id: TextOrOctets | None = None
    hostname: Hostname | None = None
    description: Text = ""


class Reservation(Model, kw_only=True, frozen=True):
    subnet_id: str
    ip: str | None
    prefix: str | None
    mac: str | None
    duid: str | None
    client_id: str | None
    circuit_id: str | None
    hostname: str | None
    description: str


class AssignmentFields(Command, kw_only=True, frozen=True):
    """What may be changed later."""

    hostname: Hostname
    ip: Address | None = None
    description: Text = ""


class NewAssignment(AssignmentFields, kw_only=True, frozen=True):
    subnet_id: Id | None = None


class Assignment(Model, kw_only=True, frozen=True):
    subnet_id: str
    ip: str
    hostname: str
    description: str


def check_reservation(wanted: NewReservation, cidr: Network) -> None:
    """Raises ValidationError unless somebody of the subnet's family gets something that lies in it."""
    if all(getattr(wanted, name) is None for name in IDENTITIES):
        raise ValidationError("mac", f"at least one of {', '.join(IDENTITIES)} is needed")
    if wanted.prefix is not None and wanted.prefix.version != 6:
        raise ValidationError("prefix", "only an IPv6 prefix can be delegated")
    if wanted.prefix is not None and cidr.version != 6:
        raise ValidationError("prefix", "only a subnet of IPv6 delegates prefixes")
    if wanted.ip is not None:
        check_host(wanted.ip, cidr)


def check_host(address: Address, cidr: Network) -> None:
    if not usable(address, cidr):
        raise ValidationError("ip", f"{address} is not an address of a host in {cidr}")
