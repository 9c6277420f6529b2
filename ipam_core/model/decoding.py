"""Decoding of JSON to commands: every refusal names the field and the values that fit.

msgspec does the work; its messages end in a path such as `$.relay_addresses[1]`, which becomes the field. NUL
characters are refused here for all, because PostgreSQL's text cannot hold them.
"""

import math
import re
from collections.abc import Iterable, Mapping
from typing import Any, TypeVar

import msgspec

from ipam_core.errors import BadRequest, ValidationError
from ipam_core.model.base import Command, Model
from ipam_core.model.values import decode_value

C = TypeVar("C", bound=Command)

AT_PATH = re.compile(r"^(?P<reason>.*?)(?: - at `(?P<key>key in )?\$\.?(?P<path>[^`]*)`)?$", re.DOTALL)
UNKNOWN = re.compile(r"Object contains unknown field `(.*)`", re.DOTALL)
MISSING = re.compile(r"Object missing required field `(.*)`", re.DOTALL)
ESCAPED_NUL = b"\\u0000"


def read_number(text: str) -> int | float:
    """Read a whole number; 1.0 is one to JSON Schema, and to languages that know no other numbers than these."""
    value = float(text)
    if not math.isfinite(value):
        raise ValueError(f"{text} is out of range")
    return int(value) if value.is_integer() else value


DECODER = msgspec.json.Decoder(float_hook=read_number)
DEEPEST = 64
"""Levels of a body. What walks it afterwards calls itself for each, in addition to what has called it."""


def parse_json(body: bytes, path: str = "") -> Any:
    """Return the JSON value of a request body, or of the part of it at `path`."""
    try:
        value = DECODER.decode(body)
    except (msgspec.DecodeError, UnicodeDecodeError, RecursionError, ValueError) as error:
        raise BadRequest(f"the body is not JSON: {error}") from None
    if body.count(b"[") + body.count(b"{") > DEEPEST:
        refuse_depth(value, path)
    if ESCAPED_NUL in body:
        refuse_nul(value, path)
    return value


def refuse_depth(value: Any, path: str) -> None:
    """Raise BadRequest. Level by level, because a function that calls itself is what the depth would harm."""
    level = [value]
    for _ in range(DEEPEST + 1):
        level = [member for each in level for member in members(each)]
    if level:
        raise BadRequest(f"{path or 'the body'} is nested deeper than {DEEPEST} levels")


def members(value: Any) -> Iterable[Any]:
    if isinstance(value, dict):
        return value.values()
    return value if isinstance(value, list) else ()


def parse_object(body: bytes) -> dict[str, Any]:
    value = parse_json(body)
    if not isinstance(value, dict):
        raise ValidationError("body", "must be a JSON object")
    return value


def command(value: Mapping[str, Any], kind: type[C]) -> C:
    try:
        return msgspec.convert(value, kind, dec_hook=decode_value)
    except msgspec.ValidationError as error:
        raise named(error) from None


def patched(current: Model, patch: Mapping[str, Any], kind: type[C]) -> C:
    """Return the command that a merge patch makes of the current values.

    Write-only fields are none of the model's. Left out they keep what is stored, and null must reach the command.
    """
    shown, fields = current.__struct_fields__, kind.__struct_fields__
    values = merge({name: getattr(current, name) for name in fields if name in shown}, patch)
    hidden = set(fields).difference(shown).intersection(patch)
    return command(values | {name: patch[name] for name in hidden}, kind)


def merge(target: Any, patch: Any) -> Any:
    """Merge objects member by member (RFC 7396): null removes, anything else replaces."""
    if not isinstance(patch, Mapping):
        return patch
    merged = dict(target) if isinstance(target, Mapping) else {}
    for name, value in patch.items():
        if value is None:
            merged.pop(name, None)
        else:
            merged[name] = merge(merged.get(name), value)
    return merged


def named(error: msgspec.ValidationError) -> ValidationError:
    found = AT_PATH.match(str(error))
    assert found is not None
    reason, path = found["reason"], found["path"] or ""
    for pattern, said in ((UNKNOWN, "there is no such field"), (MISSING, "is required")):
        if member := pattern.fullmatch(reason):
            return ValidationError(f"{path}.{member[1]}".lstrip("."), said)
    return ValidationError(path or "body", lower_first(reason.replace("`", "")))


def lower_first(text: str) -> str:
    """Return the text as it goes on behind a colon. An acronym keeps its capitals."""
    return text if text[1:2].isupper() else text[:1].lower() + text[1:]


def refuse_nul(value: Any, path: str) -> None:
    if isinstance(value, str) and "\x00" in value:
        raise ValidationError(path or "body", "must not contain a NUL character")
    if isinstance(value, dict):
        for name, member in value.items():
            refuse_nul(name, path or "body")
            refuse_nul(member, f"{path}.{name}".lstrip("."))
    if isinstance(value, list):
        for index, member in enumerate(value):
            refuse_nul(member, f"{path}[{index}]")
