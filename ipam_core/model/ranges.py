"""Pools and excludes: ranges of addresses inside a subnet, both ends included."""

from typing import Literal

from ipam_core.errors import ValidationError
from ipam_core.model.base import Command, Id, Model, Name, Text
from ipam_core.model.values import Address, Network


class Range(Command, kw_only=True, frozen=True):
    start_ip: Address
    end_ip: Address


class NewPool(Range, kw_only=True, frozen=True):
    name: Name = ""
    class_id: Id | None = None
    allocation: Literal["hashed", "sequential"] = "hashed"


class Pool(Model, kw_only=True, frozen=True):
    subnet_id: str
    name: str
    start_ip: str
    end_ip: str
    class_id: str | None
    allocation: str


class NewExclude(Range, kw_only=True, frozen=True):
    description: Text = ""


class Exclude(Model, kw_only=True, frozen=True):
    subnet_id: str
    start_ip: str
    end_ip: str
    description: str


def check_range(wanted: Range, cidr: Network) -> None:
    """Raises ValidationError unless start <= end, both inside the subnet."""
    for field in ("start_ip", "end_ip"):
        address = getattr(wanted, field)
        if address.version != cidr.version or address not in cidr:
            raise ValidationError(field, f"{address} is not inside the subnet {cidr}")
    if int(wanted.start_ip) > int(wanted.end_ip):
        raise ValidationError("end_ip", "must not be lower than start_ip")
