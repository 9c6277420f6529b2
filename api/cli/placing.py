"""The parent of a new object, found by the object's address or name where the command does not name it."""

from collections.abc import Mapping
from collections.abc import Set as AbstractSet
from contextlib import suppress
from dataclasses import dataclass
from typing import Any

import click

from api.cli.bare import NAMES, NEXT, field_of
from api.cli.names import Names, NoSuchName, spelling
from api.cli.payloads import family_of
from api.cli.shapes import fields_of
from ipam_core.errors import IpamError
from ipam_core.model.base import Command
from ipam_core.model.families import FAMILIES, Family

SUBNETS = FAMILIES["subnets"]


def with_subnet(
    names: Names, family: Family, told: tuple[str, ...], own: AbstractSet[str]
) -> tuple[str, ...]:
    """Return the words of a create with `subnet_id=` before the first that alone names a subnet: a host or pool of the
    same name is written `hostname=` or `name=`. Raises SeveralOfThatName."""
    given = {spelling(word.partition("=")[0], own) for word in told if "=" in word}
    if (
        SUBNETS.key not in own
        or {"code", "payload"} <= own
        or given & {SUBNETS.key, *(parent.key for parent in family.parents)}
    ):
        return told
    if NEXT[0] in told and "ip" in own and is_there(names, NEXT[0]):
        raise click.UsageError("next is the next free address and a subnet: write ip=next or subnet=next")
    for at, word in enumerate(told):
        if may_be_subnet(word, own) and is_there(names, word):
            return (*told[:at], f"{SUBNETS.key}={word}", *told[at + 1 :])
    return told


def may_be_subnet(word: str, own: AbstractSet[str]) -> bool:
    """Return whether a word alone is a name, or looks like nothing that the object has a field for."""
    named = spelling(word, own) in own or "=" in word or not word.strip()
    return not named and field_of(word, own, set()) in (*NAMES, None)


def is_there(names: Names, subnet: str) -> bool:
    try:
        return bool(names.find(SUBNETS, subnet))
    except NoSuchName:
        return False


def place_around(names: Names, family: Family, model: type[Command], body: dict[str, Any]) -> bool:
    """Fill in the prefix or subnet that contains the new object's address. Return whether there is one."""
    address = address_in(body)
    prefix = FAMILIES["prefixes"]
    if family.name == "dns-records":
        return place_in_zone(names, body)
    for parent in (prefix,) if prefix.key in fields_of(model) else family.parents:
        if address and "contains" in parent.filters and parent.key not in body:
            try:
                found = names.find(parent, address.partition("/")[0], around=True)
            except NoSuchName:
                if parent is prefix:
                    raise NoPrefix(address) from None
                return False
            body[parent.key] = found["id"]
            return True
    return False


@dataclass(eq=False)
class NoPrefix(IpamError):
    """prefix: is required, because no prefix contains {network}. Create one first:
    ipam create prefixes cidr={network}"""

    network: str


ADDRESSES = ("cidr", "start_ip", "ip")
"""Fields that tell where an object lies."""


def address_in(body: Mapping[str, Any]) -> str | None:
    return next((str(body[name]) for name in ADDRESSES if body.get(name)), None)


def place_in_zone(names: Names, body: dict[str, Any]) -> bool:
    """Fill in the zone of a record whose name is written in full. Return whether there is one."""
    labels = str(body.get("name", "")).rstrip(".").split(".")
    zones = FAMILIES["dns-zones"]
    for at in range(1, len(labels)):
        with suppress(NoSuchName):
            body["zone_id"] = names.id(zones, ".".join(labels[at:]))
            body["name"] = ".".join(labels[:at])
            return True
    return False


def parents_family(names: Names, family: Family, spelt: Mapping[str, str]) -> int | None:
    """Return the address family of the object in which a named option is created."""
    for parent in family.parents:
        if spelt.get(parent.key):
            return family_of(names.find(parent, spelt[parent.key], around=True))
    return None
