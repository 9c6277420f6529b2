"""DHCP options as people write them: `code=domain-name-servers addresses=10.0.0.1,10.0.0.2` for `code=6` and its
payload."""

from collections.abc import Callable, Mapping
from typing import Any

import click
import msgspec

from api.cli.fields import flag, json_or_text, listed

# The members of payloads that need no JSON, with how each is read.
PARTS: dict[str, Callable[[str], Any]] = {
    "addresses": lambda text: listed(text, {"items": {"type": "string"}}),
    "names": lambda text: listed(text, {"items": {"type": "string"}}),
    "strings": lambda text: listed(text, {"items": {"type": "string"}}),
    "values": lambda text: listed(text, {}),
    "string": str,
    "hex": str,
    "value": json_or_text,
    "flag": lambda text: flag(text, {}),
}


def is_option(fields: Mapping[str, Any]) -> bool:
    return {"code", "payload", "vendor_class"} <= set(fields)


def expanded(told: Mapping[str, str]) -> dict[str, str]:
    """The pairs with the payload put together, and the code of an option that is named."""
    found = {name: value for name, value in told.items() if name not in PARTS}
    if parts := {name: read(told[name]) for name, read in PARTS.items() if name in told}:
        found["payload"] = msgspec.json.encode(parts).decode()
    if "code" in found:
        found["code"] = code_of(found["code"], found.get("family"))
    return found


def code_of(text: str, family: str | None) -> str:
    """What is no option's name stays as it is. Raises click's usage error for a name that means two options."""
    if text.isdecimal():
        return text
    from ipam_core.dhcp import registry  # a tenth of a second

    named = {number: registry.by_name(number, text) for number in (4, 6) if family in (None, str(number))}
    codes = {number: option.code for number, option in named.items() if option}
    if len(set(codes.values())) > 1:
        told = " and ".join(f"{code} of DHCPv{number}" for number, code in codes.items())
        raise click.UsageError(f"code: {text} is {told}; add family=4 or family=6")
    return str(next(iter(codes.values()), text))
