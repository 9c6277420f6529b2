"""Tenants and VRFs of a NetBox by the names that people give them."""

from collections.abc import Iterable, Iterator, Sequence
from typing import NamedTuple

from ipam_core.errors import ValidationError
from ipam_core.netbox.client import NetBox
from ipam_core.netbox.shapes import Reference

NOBODY = "null"  # NetBox's word for "of none" in filters
MOST_OF_QUESTION = 1500  # characters of names in one address; proxies take 4,096 octets or more
PAGE = 500
MOST_NAMED = 5  # of those that share a name, in an error


class Kind(NamedTuple):
    """`field`: of requests and of a prefix; `names`: by which one is found, the first before the others; `exact`: the
    same names for `mapping`, the one that is meant to be unique first; `telling`: what tells apart those that share a
    name."""

    field: str
    path: str
    names: Sequence[str]
    exact: Sequence[str]
    telling: str
    permission: str


KINDS = {
    "tenant": Kind(
        "tenant",
        "/tenancy/tenants/",
        ("slug", "name"),
        ("slug", "name"),
        "slug",
        "to view tenants (tenancy.view_tenant)",
    ),
    "vrf": Kind(
        "vrf",
        "/ipam/vrfs/",
        ("name", "rd"),
        ("rd", "name"),
        "route distinguisher",
        "to view VRFs (ipam.view_vrf)",
    ),
}


def questions(texts: Iterable[str]) -> Iterator[list[str]]:
    """Yield the texts in lists that fit into one question each."""
    piece, length = list[str](), 0
    for text in texts:
        octets = 3 * len(text.encode())  # the longest form in a URL
        if piece and length + octets > MOST_OF_QUESTION:
            yield piece
            piece, length = [], 0
        piece.append(text)
        length += octets
    if piece:
        yield piece


async def find_all(
    netbox: NetBox, kind: Kind, texts: Iterable[str], names: Sequence[str]
) -> dict[str, list[Reference]]:
    """Return what bears each text by the first of `names` that finds any; a text that nothing bears is left out."""
    found: dict[str, list[Reference]] = {}
    for name in names:
        for piece in questions(text for text in texts if text not in found):
            query = (*((name, text) for text in piece), ("limit", str(PAGE)))
            rows = await netbox.all(kind.path, query, Reference, kind.permission)
            for text in piece:
                if bearers := [row for row in rows if getattr(row, name) == text]:
                    found[text] = bearers
    return found


def several(kind: Kind, text: str, found: Sequence[Reference]) -> str:
    """Say that several share a name, and by what to tell them apart."""
    told = [(each.rd if kind.field == "vrf" else each.slug) or f"none: id {each.id}" for each in found]
    more = ", ..." if len(told) > MOST_NAMED else ""
    return (
        f"NetBox has {len(found)} {kind.field}s named {text!r}: identify them by {kind.telling} "
        f"({', '.join(told[:MOST_NAMED])}{more})"
    )


def none(kind: Kind, text: str) -> str:
    """Say that nothing bears a name."""
    return f"NetBox has no {kind.field} whose {' or '.join(kind.exact)} is {text!r}"


async def find_named(netbox: NetBox, kind: Kind, text: str) -> int | None:
    """Return the id of what a request names, None for NOBODY. Raises ValidationError where none or several bear the
    name."""
    if text == NOBODY:
        return None
    found = (await find_all(netbox, kind, [text], kind.names)).get(text, [])
    if len(found) != 1:
        raise ValidationError(kind.field, several(kind, text, found) if found else none(kind, text))
    return found[0].id
