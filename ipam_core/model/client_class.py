"""A client class: clients that match all the criteria that are set; it steers pools and options."""

from typing import Annotated, Any

from msgspec import Meta

from ipam_core.errors import ValidationError
from ipam_core.model.base import Command, Id, Model, Text
from ipam_core.model.boot import BootFile, NextServer, ServerName, check_boot
from ipam_core.model.values import MacPrefix

Criterion = Annotated[str, Meta(min_length=1, max_length=255)]
CRITERIA = ("vendor_class", "user_class", "mac_prefix", "locally_administered", "known", "match")
Conditions = Annotated[dict[str, Any], Meta(description="A tree of conditions: all, any, not, and leaves.")]


class ClassFields(Command, kw_only=True, frozen=True):
    """Fields that may be changed later."""

    name: Annotated[str, Meta(min_length=1, max_length=255)]
    """Name of the class, unique in the tenant. Conditions refer to it."""

    description: Text = ""
    priority: Annotated[int, Meta(ge=0, le=2**31 - 1)] = 100
    """Precedence of the class: lower numbers first. If several classes of a client have an option, the first class
    applies."""

    vendor_class: Criterion | None = None
    """Matches if the client's option 60 (DHCPv6 16) begins with this text. Null: not compared."""

    user_class: Criterion | None = None
    """Matches if the client's option 77 (DHCPv6 15) is equal to this text. Null: not compared."""

    mac_prefix: MacPrefix | None = None
    """Matches hardware addresses that begin with these one to six octets. Null: not compared."""

    locally_administered: bool | None = None
    """Matches locally administered hardware addresses, as private addresses are (true), or addresses from a vendor
    (false). Null: not compared."""

    known: bool | None = None
    """Matches clients with a reservation (true) or without one (false). Null: not compared."""

    match: Conditions | None = None
    """A tree of conditions: {"all": [...]}, {"any": [...]}, {"not": {...}}, and leaves such as {"option": 93, "in":
    [7, 9]}, at most 64. Null: not compared."""

    template: bool = False
    """True: a template. Each value that the one leaf of `match` reads creates a class, NAME:VALUE."""

    deny: bool = False
    """True: the server does not answer clients of this class."""

    next_server: NextServer | None = None
    server_name: ServerName | None = None
    boot_file: BootFile | None = None


class NewClientClass(ClassFields, kw_only=True, frozen=True):
    tenant_id: Id | None = None


class ClientClass(Model, kw_only=True, frozen=True):
    tenant_id: str
    name: str
    description: str
    priority: int
    vendor_class: str | None
    user_class: str | None
    mac_prefix: str | None
    locally_administered: bool | None
    known: bool | None
    match: Conditions | None
    template: bool
    deny: bool
    next_server: str | None
    server_name: str | None
    boot_file: str | None


class ClassValue(Model, kw_only=True, frozen=True):
    """Class that a template creates from a value that clients send. `packets`: their packets on all servers."""

    name: str
    """Class that the value creates, NAME:VALUE."""

    value: str
    """Value that the clients sent, as text or 0x octets."""

    packets: int
    """Number of packets with this value, on all servers."""

    first_seen_at: str
    """When a server first saw the value."""

    last_seen_at: str
    """When a server last saw the value. The server keeps the 1,024 most recent values."""


def name_with_value(name: str, value: str) -> str:
    """Return what such a class is called."""
    return f"{name}:{value}"


def check_class(fields: ClassFields) -> None:
    if all(getattr(fields, name) is None for name in CRITERIA):
        raise ValidationError("vendor_class", f"at least one of {', '.join(CRITERIA)} is required")
    check_boot(fields.next_server, fields.boot_file)
