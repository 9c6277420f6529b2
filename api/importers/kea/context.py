"""Notes that Kea keeps of an object for people: a comment, and the user context, into which comments move, and into
which an export of ours writes what Kea has no place for."""

from typing import Any

from api.importers.plan import Fields
from api.importers.source import Entry

KEPT = {
    "name": str,
    "vlan_id": int,
    "site": str,
    "tags": list,
    "custom": Entry,
    "dhcp_enabled": bool,
    "priority": int,
}
"""Fields that stand there as they are, and their types."""
SUBNET_ID = "kea_subnet_id"
"""In `custom`: Kea's number of a subnet."""


def described(entry: Entry, *kept: str) -> Fields:
    """Return the description, and those of the kept fields that the object can have."""
    context = entry.get("user-context")
    comment = entry.text("comment")
    found: Fields = {}
    if isinstance(context, Entry):
        found = {name: value for name in kept if (value := whole(context, name)) is not None}
        if comment is None:
            comment = context.text("comment")
        if context.read:
            entry.read.add("user-context")
    return found | ({"description": comment} if comment else {})


def whole(context: Entry, name: str) -> Any:
    """Return a member with all that is in it."""
    value = context.take(name, KEPT[name])
    return None if value is None else read_whole(value)


def read_whole(value: Any) -> Any:
    if isinstance(value, Entry):
        return {name: read_whole(value.take(name, object)) for name in list(value)}
    return [read_whole(each) for each in value] if isinstance(value, list) else value
