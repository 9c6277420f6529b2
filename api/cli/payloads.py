"""DHCP options as people write them: `code=domain-name-servers addresses=10.0.0.1,10.0.0.2` for `code=6` and its
payload."""

from collections.abc import Callable, Mapping
from collections.abc import Set as AbstractSet
from typing import TYPE_CHECKING, Any

import click
import msgspec

from api.cli.fields import flag, json_or_text, listed

if TYPE_CHECKING:
    from ipam_core.dhcp.kinds.definition import OptionDef

# The members of payloads that need no JSON, with how each is read.
PARTS: dict[str, Callable[[str], Any]] = {
    "addresses": lambda text: listed(text, {"items": {"type": "string"}}),
    "names": lambda text: listed(text, {"items": {"type": "string"}}),
    "strings": lambda text: listed(text, {"items": {"type": "string"}}),
    "values": lambda text: listed(text, {}),
    "string": str,
    "hex": str,
    "value": lambda text: text if isinstance(found := json_or_text(text), float) else found,
    "flag": lambda text: flag(text, {}),
}

REPEATED = frozenset({"addresses", "names", "strings", "values"})
"""Those that are lists, whose elements may be given one by one."""


def is_option(fields: Mapping[str, Any]) -> bool:
    return {"code", "payload", "vendor_class"} <= set(fields)


def with_code(told: Mapping[str, str], known: AbstractSet[str]) -> dict[str, str]:
    """Return the pairs with `code` and `value` in place of `dns=10.0.0.5`. `known`: the fields of an option."""
    names = [name for name in told if name not in known | PARTS.keys() and "." not in name]
    if "code" in told or len(names) != 1 or not codes_of(names[0]):
        return dict(told)
    rest = {name: value for name, value in told.items() if name != names[0]}
    return rest | {"code": names[0], "value": told[names[0]]}


def expanded(told: Mapping[str, str], family: int | None = None) -> dict[str, str]:
    """Return the pairs with the payload put together, and the code of a named option. `family`: 4 or 6, where the
    option's subnet, pool or reservation decides it."""
    found = {name: value for name, value in told.items() if name not in PARTS}
    asked = found.get("family") or (str(family) if family else None)
    if "code" in found:
        found["code"] = code_of(found["code"], asked)
    parts = {name: read(told[name]) for name, read in PARTS.items() if name in told}
    if set(parts) == {"value"} and "code" in found:
        parts = payload_of(told["value"], found["code"], asked) or parts
    if parts:
        found["payload"] = msgspec.json.encode(parts).decode()
    return found


def payload_of(text: str, code: str, family: str | None) -> dict[str, Any] | None:
    """Return the payload of an option for a value as people write it: addresses, names or numbers with commas. None
    where only JSON can express it, or the option is not a standard one."""
    from ipam_core.dhcp import registry

    known = [registry.lookup(int(number), int(code)) for number in (family or "46") if code.isdecimal()]
    return next((payload for each in known if each and (payload := payload_by_kind(text, each))), None)


KINDS = {
    "address": "addresses",
    "name": "names",
    "string": "string",
    "ascii": "string",
    "strings": "strings",
    "flag": "flag",
    "empty": "flag",
    "binary": "hex",
}
"""The member of the payload that an option of this kind has; integers have value or values."""


def is_repeated(name: str) -> bool:
    """Return whether an option of this name is a list, whose elements may be given one by one."""
    found = [option for family in (4, 6) if (option := option_named(name, family))]
    return any(member_of(option) in REPEATED for option in found)


def member_of(option: "OptionDef") -> str | None:
    member = KINDS.get(option.kind)
    if member is None and "int" in option.kind:
        member = "values" if option.array else "value"
    return member


def payload_by_kind(text: str, option: "OptionDef") -> dict[str, Any] | None:
    member = member_of(option)
    return {member: PARTS[member](text)} if member else None


def code_of(text: str, family: str | None) -> str:
    """Return the code of a named option. A text that names no option is left for the server to refuse. Raises
    click's usage error for a name of the other family, or one that means two options."""
    if text.isdecimal():
        return text
    codes = {str(number): code for number, code in codes_of(text).items()}
    if family in codes:
        return str(codes[family])
    if family in ("4", "6") and codes:
        raise click.UsageError(of_other_family(text, int(family), codes))
    if len(set(codes.values())) > 1:
        told = " and ".join(f"{code} of DHCPv{number}" for number, code in codes.items())
        raise click.UsageError(f"code: {text} is {told}. Add family=4 or family=6.")
    return str(next(iter(codes.values()), text))


WORDS = {
    "dns": ("domain-name-servers", "dns-servers"),
    "dns-server": ("domain-name-servers", "dns-servers"),
    "resolvers": ("domain-name-servers", "dns-servers"),
    "domain": ("domain-name", "domain-search"),
    "search": ("domain-search", "domain-search"),
    "ntp": ("ntp-servers", "ntp-server"),
    "mtu": ("interface-mtu", ""),
    "tftp": ("tftp-server-name", ""),
    "wins": ("netbios-name-servers", ""),
}
"""What people call options, with their names in DHCPv4 and DHCPv6."""


def option_named(text: str, family: int) -> "OptionDef | None":
    """Return the definition of an option's name or of another word for it."""
    from ipam_core.dhcp import registry  # a tenth of a second

    plain = text.lower().replace("_", "-")
    found = registry.by_name(family, plain)
    return found or registry.by_name(family, WORDS.get(plain, ("", ""))[family == 6])


def codes_of(text: str) -> dict[int, int]:
    """Return the codes of a named option by address family."""
    found = {family: option_named(text, family) for family in (4, 6)}
    return {family: option.code for family, option in found.items() if option}


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
