"""Bases of the structs of all families.

A family has two: the command, which says what a client may write, with a default for all that may be left
out, and the model, which is what the service answers: canonical text for addresses and moments, so that
JSON, the audit trail and an entity tag see the same thing. A model's fields bear the names of its command's
fields, which is what makes a merge patch possible: current values, patched, are a command again.
"""

from typing import Annotated, Any, ClassVar

import msgspec
from msgspec import Meta

Name = Annotated[str, Meta(max_length=255)]
Text = Annotated[str, Meta(max_length=4096)]
Id = Annotated[str, Meta(max_length=255)]
Seconds = Annotated[int, Meta(ge=1, le=2**31 - 1)]


class Command(msgspec.Struct, kw_only=True, frozen=True, forbid_unknown_fields=True):
    """Fields that a client may write."""


class Model(msgspec.Struct, kw_only=True, frozen=True):
    """Fields of the service's answer. `beside`: fields that are no property of the object. `untagged`: those that its
    entity tag does not know, because they change without anybody's doing."""

    beside: ClassVar[tuple[str, ...]] = ()
    untagged: ClassVar[tuple[str, ...]] = ()

    id: str
    """Identifies the object in paths. Opaque; assigned by the service and never reused."""

    created_at: str
    """When the object was created, in UTC with milliseconds (RFC 3339)."""

    updated_at: str
    """When the object was last changed, in UTC with milliseconds (RFC 3339)."""


class Common:
    """Fields of many families, for their descriptions alone (field_docs.py)."""

    description: str
    """Free text; the service does not interpret it."""

    tenant_id: str
    """Tenant of the object. In a create, left out or null: the tenant of the token, else the default tenant. It
    cannot be changed."""

    subnet_id: str
    """Subnet of the object. It cannot be changed."""

    tags: list[str]
    """Words for searches and filters, unique and in lower case; at most 32, of 64 characters, without commas. A
    change replaces the whole list."""

    custom: dict[str, Any]
    """Your own fields. Names consist of letters, digits, underscores and hyphens; at most four levels deep, 16 KiB of
    JSON together. A patch merges them one by one, and null deletes a member. Filter lists by custom.NAME."""

    next_server: str | None
    """Where a client loads its boot file from: an IPv4 address goes into the header's siaddr and option 66, a host
    name into sname and option 66. Null: nothing is said."""

    server_name: str | None
    """Name of the boot server (sname and option 66), in addition to an address in next_server; at most 255
    characters. A name longer than 63 characters is sent in option 66 only. Null: the name in next_server, if any."""

    boot_file: str | None
    """Path or URL of the boot file (header field file and option 67; DHCPv6 option 59), at most 255 octets. A value
    longer than 127 octets is sent in option 67 only. Null: none is sent."""

    dry_run: bool
    """True: report the effects and change nothing."""

    state: str
    """State of the object."""

    mac: str
    """Hardware address of the client, in any notation. Answers have it in lower case with colons."""

    hostname: str
    """Hostname: labels of up to 63 letters, digits, hyphens and underscores, 253 characters together."""

    family: int
    """4 for DHCPv4, 6 for DHCPv6."""

    name: str
    """Name of the object."""
