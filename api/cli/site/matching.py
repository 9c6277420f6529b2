"""Matching of the entries of the file with the objects of the server.

By the keys of the family in their order, so that a reservation whose client gets another network card is the same one
still; a pool or an exclude that was resized is the one that it overlaps. A webhook of which the file only has scheme
and host is the only one with these.
"""

from collections.abc import Iterable
from ipaddress import ip_address
from typing import Any

from api.cli.site.reading import Wanted
from api.cli.site.shapes import Shape
from api.cli.site.spelling import Fields
from api.cli.site.stored import Stored
from ipam_core.model.credential_url import host_alone


def match(
    shape: Shape, entries: list[Wanted], objects: list[Stored]
) -> tuple[list[tuple[Wanted, Stored | None]], list[Stored]]:
    """Return each entry with its object, if there is one, in the file's order; and the objects that no entry is."""
    found: dict[int, Stored] = {}
    left = {each.id: each for each in objects}
    for names in shape.keys:
        by_key = unique((key_of(each.fields, names), each) for each in left.values())
        wanted = unique(
            (key_of(each.fields, names), at) for at, each in enumerate(entries) if at not in found
        )
        for key in wanted.keys() & by_key.keys():
            found[wanted[key]] = left.pop(by_key[key].id)
    if shape.credentials & {name for names in shape.keys for name in names}:
        match_shortened(entries, found, left)
    if "start_ip" in shape.fields:
        match_overlapping(entries, found, left)
    return [(each, found.get(at)) for at, each in enumerate(entries)], list(left.values())


def key_of(fields: Fields, names: tuple[str, ...]) -> tuple[Any, ...] | None:
    """Return None: it says nothing of these."""
    values = tuple(fields.get(name) for name in names)
    return values if any(values) else None


def unique(pairs: Iterable[tuple[Any, Any]]) -> dict[Any, Any]:
    """Return what one alone has; None is nothing to have."""
    found: dict[Any, Any] = {}
    twice = set()
    for key, value in pairs:
        if key in found:
            twice.add(key)
        found[key] = value
    return {key: value for key, value in found.items() if key is not None and key not in twice}


def match_shortened(entries: list[Wanted], found: dict[int, Stored], left: dict[str, Stored]) -> None:
    hosts = unique((host_alone(each.fields["url"]), each) for each in left.values())
    for at, entry in enumerate(entries):
        if at not in found and is_shortened(entry) and entry.fields["url"] in hosts:
            found[at] = left.pop(hosts.pop(entry.fields["url"]).id)


def is_shortened(entry: Wanted) -> bool:
    """Return whether an entry is known by a URL and has only scheme and host of one, as some outputs show it."""
    is_key = "url" in entry.shape.credentials and ("url",) in entry.shape.keys
    return is_key and entry.fields["url"] == host_alone(entry.fields["url"])


def match_overlapping(entries: list[Wanted], found: dict[int, Stored], left: dict[str, Stored]) -> None:
    for at, entry in enumerate(entries):
        if at in found:
            continue
        same = [each for each in left.values() if overlaps(entry.fields, each.fields)]
        if len(same) == 1:
            found[at] = left.pop(same[0].id)


def overlaps(one: Fields, other: Fields) -> bool:
    if not (one["start_ip"] and other["start_ip"]):
        return False
    ends = [ip_address(each[name]) for each in (one, other) for name in ("start_ip", "end_ip")]
    if len({end.version for end in ends}) > 1:
        return False
    first, last, other_first, other_last = map(int, ends)
    return first <= other_last and other_first <= last
