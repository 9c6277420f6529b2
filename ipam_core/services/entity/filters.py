"""Filters of lists: the readers of query texts, and the conditions that many entities share."""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any
from uuid import UUID

import msgspec

from ipam_core.model.ids import parse_id
from ipam_core.model.labels import parse_member, parse_tag_list
from ipam_core.model.search_texts import question
from ipam_core.model.values import parse_address, parse_hostname, parse_network
from ipam_core.services.entity.entity import Filter

NOBODY = UUID(int=0)
ALL = 2**31 - 1


def id_text(text: str) -> UUID:
    """Return the text of an opaque id; an unknown one matches nothing."""
    return parse_id(text) or NOBODY


def flag(text: str) -> bool:
    if text not in ("true", "false"):
        raise ValueError("must be true or false")
    return text == "true"


def family(text: str) -> int:
    if text not in ("4", "6"):
        raise ValueError("must be 4 or 6")
    return int(text)


def whole_number(text: str) -> int:
    if not (text.isascii() and text.isdecimal() and len(text) <= 9):
        raise ValueError("must be a whole number")
    return int(text)


@dataclass(frozen=True)
class Words:
    """Reader of one of a few words."""

    meanings: Mapping[str, Any]

    def __call__(self, text: str) -> Any:
        if text not in self.meanings:
            raise ValueError(f"must be one of {', '.join(self.meanings)}")
        return self.meanings[text]


def one_of(*words: str) -> Words:
    return Words({word: word for word in words})


def hostname(text: str) -> str:
    return parse_hostname(text).lower()


def equal(column: str, parse: Callable[[str], Any] = str, indexed: bool = False) -> Filter:
    return Filter(f"{column} = {{}}", parse, indexed)


def refers_to(table: str) -> Filter:
    """Return the id of a parent, found first, so that the key of the rows below it is a constant to the planner:
    TABLE.no = (select wanted.no from TABLE wanted where wanted.id = $n)."""
    number = f"select wanted.no from {table} wanted where wanted.id = {{}}"  # noqa: S608 - a constant of ours
    return Filter(f"{table}.no = ({number})", id_text, indexed=True)


def texts(*columns: str) -> Filter:
    """Return the filter `q`: one of the columns contains the text, whatever its case."""
    found = " or ".join(f"position(lower({{}}::text) in lower({column}::text)) > 0" for column in columns)
    return Filter(f"({found})", str)


def sought(table: str, *columns: str, macs: Sequence[str] = ()) -> Filter:
    """Return `q` of a family that the search follows: the same, and in every script and form what was committed some
    time ago (workers/search_follower.py); a MAC by any part of it."""
    found = [f"position(lower({{}}::jsonb ->> 'plain') in lower({column}::text)) > 0" for column in columns]
    found += [
        f"position({{}}::jsonb ->> 'digits' in replace({column}::text, ':', '')) > 0" for column in macs
    ]
    found.append(f"{table}.id in (select id from found_objects({{}}::jsonb, {ALL}))")  # noqa: S608 - a constant of ours
    return Filter(f"({' or '.join(found)})", sought_text)


def sought_text(text: str) -> dict[str, Any]:
    """Return what the search compares (model/search_texts.py), and the text as it is."""
    return {"plain": text, **msgspec.to_builtins(question(text))}


def tags_of(table: str) -> str:
    """Return the tags as one text."""
    return f"array_to_string({table}.tags, ',')"


def aliases_of(table: str) -> str:
    """Return the further names as one text."""
    return f"array_to_string({table}.aliases, ',')"


def alias_of(table: str) -> Filter:
    """Return the filter for one of the further names; the index has rows with some."""
    aliases = f"{table}.aliases"
    return Filter(f"(cardinality({aliases}) > 0 and {aliases} @> array[{{}}::text])", hostname, indexed=True)


def network_filters(column: str) -> dict[str, Filter]:
    """Return the filters of a CIDR column: itself, its container, its contents, its family."""
    return {
        "cidr": equal(column, parse_network),
        "within": Filter(f"{column} <<= {{}}::cidr", parse_network),
        "contains": Filter(f"{column} >>= {{}}::inet", parse_address),
        "family": Filter(f"family({column}) = {{}}", family),
    }


def range_filters(start: str, end: str) -> dict[str, Filter]:
    """Return the filters of a range of addresses: its ends, its container, its contents, its family."""
    return {
        "start_ip": equal(start, parse_address),
        "end_ip": equal(end, parse_address),
        "within": Filter(f"({start} <<= {{}}::inet and {end} <<= {{}}::inet)", parse_network),
        "contains": Filter(f"{{}}::inet between {start} and {end}", parse_address),
        "family": Filter(f"family({start}) = {{}}", family),
    }


def host_filters(column: str) -> dict[str, Filter]:
    """Return the filters of one address: itself, its container, its family."""
    return {
        "ip": equal(column, parse_address, indexed=True),
        "within": Filter(f"{column} <<= {{}}::inet", parse_network),
        "family": Filter(f"family({column}) = {{}}", family),
    }


def label_filters(table: str, indexed: bool = False) -> dict[str, Filter]:
    """Return the filters of tags, of which all must be present, and of one custom field or a member in it; the index
    has rows with tags."""
    tags, custom = f"{table}.tags", f"{table}.custom"
    return {
        "tag": Filter(f"(cardinality({tags}) > 0 and {tags} @> {{}}::text[])", parse_tag_list, indexed),
        CUSTOM: Filter(
            f"{custom} #>> ({{}}::text[])[2:] is not distinct from ({{}}::text[])[1]", parse_member
        ),
    }


def find(filters: Mapping[str, Filter], name: str, text: str) -> tuple[Filter | None, str]:
    """Return the filter of a query parameter, and the text that it reads: of custom.NAME=VALUE both."""
    if name.startswith(CUSTOM_PREFIX):
        return filters.get(CUSTOM), f"{name.removeprefix(CUSTOM_PREFIX)}={text}"
    return filters.get(name), text


CUSTOM_PREFIX = "custom."
CUSTOM = "custom.NAME"
"""How lists call the filter by a custom field; NAME stands for the field's."""

TENANT = {"tenant_id": equal("tenant.id", id_text)}
SUBNET = {"subnet_id": refers_to("subnet")} | TENANT
