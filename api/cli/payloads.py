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


def expanded(told: Mapping[str, str], family: int | None = None) -> dict[str, str]:
    """Return the pairs with the payload put together, and the code of a named option. `family`: 4 or 6, where the
    option's subnet, pool or reservation decides it."""
    found = {name: value for name, value in told.items() if name not in PARTS}
    if parts := {name: read(told[name]) for name, read in PARTS.items() if name in told}:
        found["payload"] = msgspec.json.encode(parts).decode()
    if "code" in found:
        asked = found.get("family") or (str(family) if family else None)
        found["code"] = code_of(found["code"], asked)
    return found


def code_of(text: str, family: str | None) -> str:
    """Return the code of a named option. A text that names no option is left for the server to refuse. Raises
    click's usage error for a name of the other family, or one that means two options."""
    if text.isdecimal():
        return text
    from ipam_core.dhcp import registry  # a tenth of a second

    named = {number: registry.by_name(number, text) for number in (4, 6)}
    codes = {str(number): option.code for number, option in named.items() if option}
    if family in codes:
        return str(codes[family])
    if family in ("4", "6") and codes:
        raise click.UsageError(of_other_family(text, int(family), codes))
    if len(set(codes.values())) > 1:
        told = " and ".join(f"{code} of DHCPv{number}" for number, code in codes.items())
        raise click.UsageError(f"code: {text} is {told}. Add family=4 or family=6.")
    return str(next(iter(codes.values()), text))


# Options of DHCPv4 and of DHCPv6 that do the same, the usual one of several last.
COUNTERPARTS = (
    ("domain-name", "domain-search"),
    ("domain-name-servers", "dns-servers"),
    ("ntp-servers", "ntp-server"),
    ("boot-file-name", "bootfile-url"),
    ("sip-servers", "sip-server-addr"),
    ("pcode", "new-posix-timezone"),
    ("tcode", "new-tzdb-timezone"),
)


def of_other_family(text: str, family: int, codes: Mapping[str, int]) -> str:
    from ipam_core.dhcp import registry

    table = dict(COUNTERPARTS) if family == 6 else {six: four for four, six in COUNTERPARTS}
    option = registry.by_name(family, table.get(text, ""))
    mend = f" Use {option.name} ({option.code})." if option else ""
    (other,) = codes
    return f"code: DHCPv{family} has no option {text}, which is {codes[other]} of DHCPv{other}.{mend}"


def family_of(parent: Mapping[str, Any]) -> int | None:
    """Return the address family of a subnet, pool or reservation."""
    for field in ("cidr", "start_ip", "ip", "prefix"):
        if parent.get(field):
            return 6 if ":" in str(parent[field]) else 4
    return None
