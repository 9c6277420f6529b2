"""Tags and custom fields: what an organisation says of its objects in words of its own.

Tags are a few short texts, lower case, each once. Custom fields are a JSON object, small and not deep, whose members a
list can be filtered by; a merge patch (RFC 7396) changes them one by one.
"""

import re
from collections.abc import Iterable
from typing import Any

import msgspec

MOST_TAGS = 32
LONGEST_TAG = 64
TAG = re.compile(rf"[^,\x00-\x1f\x7f]{{1,{LONGEST_TAG}}}")
MOST_OCTETS = 16 * 1024
MOST_LEVELS = 4
MEMBER = re.compile(r"[A-Za-z0-9_-]{1,64}")
SPECIAL_VALUES: dict[str, str | None] = {"null": None, '"null"': "null"}


def parse_tag(text: Any) -> str:
    """Return a tag as it is kept: in lower case, without blanks around it."""
    tag = text.strip().lower() if isinstance(text, str) else ""
    if not TAG.fullmatch(tag):
        raise ValueError(f"must contain texts of 1 to {LONGEST_TAG} characters, without commas")
    return tag


def parse_tags(values: Any) -> tuple[str, ...]:
    """Return each tag once, in the order given."""
    if not isinstance(values, Iterable) or isinstance(values, str | dict):
        raise ValueError("must be a list of texts")
    tags = tuple(dict.fromkeys(map(parse_tag, values)))
    if len(tags) > MOST_TAGS:
        raise ValueError(f"must not contain more than {MOST_TAGS} tags")
    return tags


def parse_tag_list(text: str) -> tuple[str, ...]:
    """Return tags with commas between them, as a query has them."""
    return parse_tags(text.split(","))


def parse_custom(value: Any) -> dict[str, Any]:
    if not isinstance(value, dict):
        raise ValueError("must be a JSON object")
    for name in value:
        if not MEMBER.fullmatch(name):
            raise ValueError(
                f"must have names of 1 to 64 letters, digits, underscores and hyphens; {name[:64]!r} is not "
                "such a name"
            )
    if levels(value) > MOST_LEVELS:
        raise ValueError(f"must not be nested more than {MOST_LEVELS} levels deep")
    if len(msgspec.json.encode(value)) > MOST_OCTETS:
        raise ValueError(f"must not be longer than {MOST_OCTETS} octets of JSON")
    return value


def levels(value: Any) -> int:
    """Return how deep lists and objects are nested."""
    if not isinstance(value, dict | list):
        return 0
    members = value.values() if isinstance(value, dict) else value
    return 1 + max(map(levels, members), default=0)


def parse_member(text: str) -> tuple[str | None, ...]:
    """Return the value and the path of NAME=VALUE or NAME.NAME=VALUE, the member of the custom fields that a list is
    filtered by. The value `null`, as None, stands for a member that is null or missing; `"null"` is the text. Raises
    ValueError."""
    path, _, value = text.partition("=")
    names = path.split(".")
    if not MEMBER.fullmatch(names[0]) or "" in names:
        raise ValueError("must contain the name of a field, as in custom.owner=network or custom.rack.row=7")
    if len(names) > MOST_LEVELS:
        raise ValueError(f"must not contain more than {MOST_LEVELS} levels")
    return SPECIAL_VALUES.get(value, value), *names


def nested(depth: int) -> dict[str, Any]:
    """Return the schema of a value that is nested so deep at most."""
    plain = {"type": ["string", "number", "boolean", "null"]}
    if depth == 0:
        return plain
    inner = nested(depth - 1)
    return {
        "anyOf": [
            plain,
            {"type": "array", "items": inner},
            {"type": "object", "additionalProperties": inner},
        ]
    }


TAGS_SCHEMA: dict[str, Any] = {
    "type": "array",
    "items": {"type": "string", "format": "tag", "pattern": rf"^[^,\u0000-\u001f\u007f]{{1,{LONGEST_TAG}}}$"},
    "maxItems": MOST_TAGS,
    "examples": [["printers", "floor-2"]],
}
CUSTOM_SCHEMA: dict[str, Any] = {
    "type": "object",
    "propertyNames": {"pattern": f"^{MEMBER.pattern}$"},
    "additionalProperties": nested(MOST_LEVELS - 1),
    "examples": [{"owner": "network team", "cost_centre": 4711}],
}
