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
    """What may be changed later."""

    name: Annotated[str, Meta(min_length=1, max_length=255)]
    description: Text = ""
    priority: Annotated[int, Meta(ge=0, le=2**31 - 1)] = 100
    vendor_class: Criterion | None = None
    user_class: Criterion | None = None
    mac_prefix: MacPrefix | None = None
    locally_administered: bool | None = None
    known: bool | None = None
    """Whether the client has a reservation."""
    match: Conditions | None = None
    template: bool = False
    """Each value that `match` finds makes a class of its own."""
    deny: bool = False
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
    value: str
    packets: int
    first_seen_at: str
    last_seen_at: str


def name_with_value(name: str, value: str) -> str:
    """What such a class is called."""
    return f"{name}:{value}"


def check_class(fields: ClassFields) -> None:
    if all(getattr(fields, name) is None for name in CRITERIA):
        raise ValidationError("vendor_class", f"at least one of {', '.join(CRITERIA)} is required")
    check_boot(fields.next_server, fields.boot_file)
