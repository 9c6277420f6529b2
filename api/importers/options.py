"""Options as all converters have them: text of a configuration as payloads, and those that are fields of a subnet."""

import re
from collections.abc import Iterable
from typing import Any, NamedTuple

from api.importers.plan import Fields
from ipam_core.dhcp import kinds, registry
from ipam_core.dhcp.kinds.definition import OptionDef
from ipam_core.errors import ValidationError
from ipam_core.model.boot import is_next_server

TRUE = {"true": True, "1": True, "false": False, "0": False}
SETTINGS = {51: "lease_time_seconds", 58: "renew_time_seconds", 59: "rebind_time_seconds"}
BOOT = {66: "next_server", 67: "boot_file"}
TFTP_SERVER = 66
ROUTERS, NTP = 3, 42


class Option(NamedTuple):
    """One that was read, and its line."""

    line: int
    fields: Fields

    @property
    def code(self) -> int:
        return int(self.fields["code"])


def payload_of(definition: OptionDef, data: str) -> Fields | None:
    """Return the payload, or None where the text is no such value; the model checks whether the value is lawful."""
    kind, parts = definition.kind, [each.strip() for each in re.split(r"(?<!\\),", data)]
    if kind in ("string", "ascii"):
        return {"string": data.replace("\\,", ",")}
    if kind in ("address", "name", "strings"):
        return {{"address": "addresses", "name": "names", "strings": "strings"}[kind]: parts}
    if kind == "flag":
        return {"flag": TRUE[data.strip().lower()]} if data.strip().lower() in TRUE else None
    if kind == "empty":
        return {"flag": True}
    if kind.startswith(("uint", "int")):
        return numbers(definition, parts)
    if kind == "routes":
        return routes(parts)
    return decoded(definition, octets(data)) if definition.repeated else {"hex": octets(data)}


def numbers(definition: OptionDef, parts: list[str]) -> Fields | None:
    if not all(re.fullmatch(r"-?(?:0[xX][0-9a-fA-F]{1,8}|[0-9]{1,12})", each) for each in parts):
        return None
    values = [int(each, 16) if "x" in each.lower() else int(each) for each in parts]
    return {"values": values} if definition.array else {"value": values[0]} if len(values) == 1 else None


def routes(parts: list[str]) -> Fields | None:
    """Return the routes of 10.0.0.0/8 - 10.1.1.1, ..."""
    pairs = [each.split("-") for each in parts]
    if any(len(each) != 2 for each in pairs):
        return None
    return {"routes": [{"destination": one.strip(), "router": other.strip()} for one, other in pairs]}


def octets(data: str) -> str:
    """Return the octets; Kea writes hexadecimal bare, behind 0x, with colons or blanks, or as text in quotes."""
    plain = data.strip()
    if len(plain) > 1 and plain[0] == plain[-1] == "'":
        return plain[1:-1].encode().hex()
    plain = re.sub(r"[\s:]", "", plain.removeprefix("0x").removeprefix("0X"))
    return plain.rjust(len(plain) + len(plain) % 2, "0")


def decoded(definition: OptionDef, data: str) -> Fields:
    """Return octets in the shape of their option, where that says the same; else as they are."""
    try:
        found = kinds.decode(definition, bytes.fromhex(data))
        if kinds.encode(definition, found).hex() == data.lower():
            return found
    except (ValidationError, ValueError):
        pass
    return {"hex": data}


def by_code(options: Iterable[Option | None]) -> dict[int, Option]:
    """Return those of one scope. The last of a code counts; where the RFC wants one for each item, all do, as one
    payload."""
    found: dict[int, Option] = {}
    for option in options:
        if option is not None:
            found[option.code] = together(found.get(option.code), option)
    return found


def together(before: Option | None, option: Option) -> Option:
    row = registry.lookup(option.fields["family"], option.code)
    payload = option.fields["payload"]
    if before is None or row is None or not row.repeated or "hex" in before.fields["payload"] | payload:
        return option
    joined = {key: before.fields["payload"][key] + payload[key] for key in payload}
    return Option(before.line, before.fields | option.fields | {"payload": joined})


def into_fields(options: dict[int, Option], fields: Fields, boot_only: bool = False) -> dict[int, Option]:
    """Take what subnets have as fields out of the options of DHCPv4, and leave the rest."""
    rest = dict(options)
    for code, name in (BOOT if boot_only else BOOT | SETTINGS).items():
        value = next(iter(rest[code].fields["payload"].values()), None) if code in rest else None
        if code == TFTP_SERVER and {"next_server", "server_name"} & set(fields):
            # The address is in the header, the name in the option; or one of both is said twice.
            name = "next_server" if fields.get("next_server") == value else "server_name"
        elif code == TFTP_SERVER and value and not is_next_server(value):  # phones take a URL there
            name = "server_name"
        if value and fields.get(name) in (None, value):
            fields[name] = value
            del rest[code]
    if boot_only:
        return rest
    router = rest.get(ROUTERS)
    if router and len(addresses(router)) == 1 and "always_send" not in router.fields:
        fields["gateway"] = addresses(rest.pop(ROUTERS))[0]
    if NTP in rest and addresses(rest[NTP]):
        fields["ntp_servers"] = addresses(rest.pop(NTP))
    return rest


def addresses(option: Option) -> list[Any]:
    found: list[Any] = option.fields["payload"].get("addresses", [])
    return [] if option.fields.get("never_send") else found
