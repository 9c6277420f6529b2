"""Fields as they are typed, `name=value`: read by what the model says of each, and judged all at once.

A list may be written with commas, yes and no mean true and false, `null` clears, and JSON is taken wherever the field
is no plain text. What cannot be read goes to the server as it is: that decides, and says why.
"""

import re
from collections.abc import Callable, Collection, Iterable, Iterator, Mapping
from contextlib import contextmanager, suppress
from typing import Any

import click
import msgspec

from api.cli.durations import EXAMPLES, is_duration, seconds
from api.cli.moments import moment
from api.cli.shapes import Field, Schema, called, fields_of
from api.cli.words import likely
from api.client.errors import ApiError
from ipam_core.errors import ValidationError
from ipam_core.model.base import Command
from ipam_core.model.decoding import named
from ipam_core.model.values import decode_value

WORDS = {
    **dict.fromkeys(("yes", "true", "on", "y", "1", "enabled"), True),
    **dict.fromkeys(("no", "false", "off", "n", "0", "disabled"), False),
}


def pairs(told: Iterable[str]) -> dict[str, str]:
    """Return filters. What is told more than once is a list. Raises click's usage error that names all that are no
    pairs."""
    found: dict[str, str] = {}
    for name, value in split(told):
        found[name] = f"{found[name]},{value}" if name in found else value
    return found


def split(told: Iterable[str]) -> list[tuple[str, str]]:
    parts = [(text, *text.partition("=")) for text in told]
    if wrong := [text for text, name, separator, _ in parts if not (name and separator)]:
        raise click.UsageError(f"{', '.join(map(repr, wrong))}: expected NAME=VALUE")
    return [(name, value) for _, name, _, value in parts]


def once_each(
    told: Iterable[str], lists: Collection[str], spelt: Callable[[str], str] = str
) -> dict[str, str]:
    """Return fields by the names that `spelt` gives them. `lists`: those that may be repeated, with an element each.
    Raises click's usage error that names those given twice."""
    found: dict[str, str] = {}
    words: dict[str, list[str]] = {}
    for word, value in split(told):
        name = spelt(word)
        words.setdefault(name, []).append(word)
        found[name] = f"{found[name]},{value}" if name in found else value
    twice = [
        f"{called(name)} is given twice{as_words(given)}"
        for name, given in words.items()
        if len(given) > 1 and name not in lists
    ]
    twice += [
        f"{name} is given together with {whole}"
        for name in words
        if (whole := name.partition(".")[0]) != name and whole in words
    ]
    if twice:
        raise click.UsageError(f"{'; '.join(twice)}. Give each field once.")
    return found


def as_words(given: list[str]) -> str:
    """Return how a field was written, if in several ways."""
    different = list(dict.fromkeys(given))
    return f", as {' and '.join(different)}" if different[1:] else ""


def lists_of(fields: Mapping[str, Field]) -> set[str]:
    """Return the names of fields that are lists."""
    return {
        name
        for name, field in fields.items()
        if "array" in [each.get("type") for each in (field.schema, *field.schema.get("anyOf", ()))]
    }


def read_fields(told: Mapping[str, str], model: type[Command] | None = None) -> dict[str, Any]:
    """Return the values by their fields' names; of a field that the model lacks, JSON or else text. `custom.owner` is a
    member of the field `custom`."""
    fields = fields_of(model) if model else {}
    found: dict[str, Any] = {}
    for name, value in told.items():
        whole, _, member = name.partition(".")
        if member and whole in fields:
            found.setdefault(whole, {})[member] = json_or_text(value)
        else:
            found[name] = read(value, fields[name].schema, name) if name in fields else json_or_text(value)
    return found


def read(text: str, schema: Schema, name: str = "") -> Any:
    """Return the value that a text means in a field of this schema."""
    if is_duration(name) and text != "null":
        found = seconds(text)
        return whole(text) if found is None else found
    if name.endswith("_length"):
        text = text.removeprefix("/")
    choices = schema.get("anyOf", [schema])
    if text == "null" and {"type": "null"} in choices:
        return None
    if text == "null" and schema.get("type") == "array":
        return []
    (first, *others) = [each for each in choices if each.get("type") != "null"] or [{}]
    if others or "enum" in first:
        return one_of(text, [first, *others])
    return READERS.get(first.get("type", ""), json_or_text_of)(text, first)


def one_of(text: str, choices: list[Schema]) -> Any:
    known = [value for each in choices for value in each.get("enum", ())]
    return next((value for value in known if str(value) == text), json_or_text(text))


def json_or_text(text: str) -> Any:
    try:
        return msgspec.json.decode(text)
    except (msgspec.DecodeError, RecursionError):
        return text


def json_or_text_of(text: str, _: Schema) -> Any:
    return json_or_text(text)


def plain_text(text: str, schema: Schema) -> Any:
    if schema.get("format") == "date-time":
        with suppress(ValueError):
            return moment(text)
    quoted = len(text) > 1 and text.startswith('"') and text.endswith('"')
    return json_or_text(text) if quoted else text


WHOLE = re.compile(r"0|[1-9][0-9]{0,18}")
DECIMAL = re.compile(r"-?[0-9]{1,15}(\.[0-9]{1,15})?")
PERCENT = re.compile(r"([0-9]{1,3}(?:\.[0-9]{1,15})?) ?%")
"""Numbers have the digits 0 to 9 alone: others, and 1e3, are more likely a mistake."""


def whole(text: str) -> int | str:
    """Return the number that a text is; the text itself where it is none."""
    return int(text) if WHOLE.fullmatch(text.strip()) else text


def integer(text: str, _: Schema) -> int | str:
    plain = text.strip()
    return int(plain) if WHOLE.fullmatch(plain.removeprefix("-")) else text


def number(text: str, _: Schema) -> float | str:
    plain = text.strip()
    if percent := PERCENT.fullmatch(plain):
        return float(percent[1]) / 100
    return float(plain) if DECIMAL.fullmatch(plain) else text


def flag(text: str, _: Schema) -> Any:
    return WORDS.get(text.lower(), json_or_text(text))


def listed(text: str, schema: Schema) -> Any:
    if text.lstrip().startswith("["):
        return json_or_text(text)
    return [read(each.strip(), schema.get("items", {})) for each in text.split(",") if each.strip()]


READERS: dict[str, Callable[[str, Schema], Any]] = {
    "string": plain_text,
    "integer": integer,
    "number": number,
    "boolean": flag,
    "array": listed,
}


# --- all faults at once


@contextmanager
def judged(model: type[Command] | None, body: Mapping[str, Any], whole: bool = True) -> Iterator[None]:
    """Add further faults to the first one of a body, which the server names. `whole`: required fields must be
    present."""
    try:
        yield
    except ApiError as error:
        if error.error_code == "validation_error" and model is not None:
            error.faults = merged(error, list(faults(model, body, whole)))
        raise


def merged(error: ApiError, found: list[ValidationError]) -> list[str]:
    """Return the server's own first, in our words if we found it too, because ours say what is allowed."""
    field = (error.details or {}).get("field")
    same = {field, called(field) if field else None}
    own = [str(fault) for fault in found if fault.field in same] or [error.message]
    return own + [str(fault) for fault in found if fault.field not in same]


def faults(model: type[Command], body: Mapping[str, Any], whole: bool) -> Iterator[ValidationError]:
    """Yield the faults that the model finds, field by field; those that depend on the plan are not seen here."""
    fields, kinds = fields_of(model), {each.encode_name: each.type for each in msgspec.structs.fields(model)}
    known = {field.called for field in fields.values()}
    for name in sorted(set(body) - set(fields)):
        yield ValidationError(name, f"there is no such field{likely(name, known)}")
    for name, field in fields.items():
        if name in body and (body[name] is not None or whole):
            with_reason = fault_of(body[name], kinds[name], field)
            if with_reason is not None:
                yield with_reason
        elif whole and field.required:
            yield ValidationError(field.called, "is required")


def fault_of(value: Any, kind: Any, field: Field) -> ValidationError | None:
    try:
        msgspec.convert(value, kind, dec_hook=decode_value)
    except msgspec.ValidationError as error:
        found = named(error)
        place = field.called if found.field == "body" else f"{field.called}{found.field}"
        reason = worded(value, found.reason, field) if found.field == "body" else found.reason
        return ValidationError(place, reason + allowed(field.schema, found.reason))
    return None


EXPECTED = re.compile(r"expected (\w+)(?: \| null)?(?:, got|$| ([<>]=) (\S+))")
KINDS = {
    "int": "a whole number",
    "float": "a number such as 0.5, or 50%",
    "bool": "yes or no",
    "array": "a list with commas",
    "object": "JSON",
    "str": "text",
}
OBJECTS = {"match": 'match=\'{"option": 93, "in": [7, 9]}\''}
"""Examples of fields that are JSON."""


def worded(value: Any, reason: str, field: Field) -> str:
    """Return a reason in the words of the command line: what the value must be, with its unit."""
    found = EXPECTED.match(reason)
    if found is None:
        return reason
    kind, comparison, limit = found.groups()
    if is_duration(field.name) and comparison is None:
        return f"{value!r} is no duration. Use {EXAMPLES}."
    if comparison is None:
        example = f", such as {OBJECTS[field.name]}" if field.name in OBJECTS else ""
        return f"{value!r} is not valid. Use {KINDS.get(kind, kind)}{example}."
    unit = f" second{'' if limit == '1' else 's'}" if is_duration(field.name) else ""
    return f"must be {'at least' if comparison == '>=' else 'at most'} {limit}{unit}"


def allowed(schema: Schema, reason: str) -> str:
    if "enum value" not in reason:
        return ""
    parts = [schema, *schema.get("anyOf", ()), schema.get("items", {})]
    values = [str(value) for part in parts for value in part.get("enum", ()) if value is not None]
    return f"; allowed: {', '.join(dict.fromkeys(values))}" if values else ""
