"""dhcp-option: dnsmasq's names, and values as payloads."""

import re
from contextlib import suppress
from dataclasses import dataclass
from ipaddress import ip_address
from typing import Any

from api.importers.dnsmasq.syntax import Statement, seconds, tagged
from api.importers.options import Option, payload_of
from api.importers.plan import Fields
from ipam_core.dhcp import kinds, registry
from ipam_core.dhcp.kinds.definition import OptionDef, unknown
from ipam_core.errors import ValidationError

NAMES4 = {
    "netmask": 1, "time-offset": 2, "router": 3, "dns-server": 6, "log-server": 7, "lpr-server": 9,
    "boot-file-size": 13, "domain-name": 15, "swap-server": 16, "root-path": 17, "extension-path": 18,
    "ip-forward-enable": 19, "non-local-source-routing": 20, "policy-filter": 21, "max-datagram-reassembly": 22,
    "default-ttl": 23, "mtu": 26, "all-subnets-local": 27, "router-discovery": 31, "router-solicitation": 32,
    "static-route": 33, "trailer-encapsulation": 34, "arp-timeout": 35, "ethernet-encap": 36, "tcp-ttl": 37,
    "tcp-keepalive": 38, "nis-domain": 40, "nis-server": 41, "ntp-server": 42, "netbios-ns": 44, "netbios-dd": 45,
    "netbios-nodetype": 46, "netbios-scope": 47, "x-windows-fs": 48, "x-windows-dm": 49, "t1": 58, "t2": 59,
    "vendor-class": 60, "nis+-domain": 64, "nis+-server": 65, "tftp-server": 66, "bootfile-name": 67,
    "mobile-ip-home": 68, "smtp-server": 69, "pop3-server": 70, "nntp-server": 71, "irc-server": 74,
    "user-class": 77, "rapid-commit": 80, "client-arch": 93, "client-interface-id": 94, "client-machine-id": 97,
    "posix-timezone": 100, "tzdb-timezone": 101, "ipv6-only": 108, "domain-search": 119, "sip-server": 120,
    "classless-static-route": 121, "vendor-id-encap": 125, "tftp-server-address": 150, "server-ip-address": 255,
}  # fmt: skip
NAMES6 = {
    "sip-server-domain": 21, "sip-server": 22, "dns-server": 23, "domain-search": 24, "nis-server": 27,
    "nis+-server": 28, "nis-domain": 29, "nis+-domain": 30, "sntp-server": 31, "information-refresh-time": 32,
    "posix-timezone": 41, "tzdb-timezone": 42, "ntp-server": 56, "bootfile-url": 59, "bootfile-param": 60,
}  # fmt: skip
NAMES = {4: NAMES4, 6: NAMES6}
ROUTES = (121, 249)
TIMES = {4: (51, 58, 59), 6: (32,)}
THIS_SERVER = ("0.0.0.0", "::")  # noqa: S104 - dnsmasq's way to say its own address
VENDOR_OPTION = 43


class NoOption(Exception):
    """Why the line is no option of ours."""


@dataclass
class Given:
    """An option, or a suboption of `within`, with the tags that its clients need. `vendor`: the vendor class that they
    name."""

    source: Statement
    tags: list[str]
    family: int
    option: Option | None = None
    vendor: str = ""
    within: int = 0
    member: bytes = b""


def given(statement: Statement) -> Given:
    """Raise NoOption."""
    tags, _, words = tagged(statement.words)
    vendor = within = ""
    while words and re.match("(?:vendor|encap|vi-encap):", words[0]):
        kind, _, value = words.pop(0).partition(":")
        if kind == "vi-encap":
            raise NoOption("is of an enterprise: make it as a suboption of option 125 by hand")
        vendor, within = (value, within) if kind == "vendor" else (vendor, value)
    family, code = code_of(words.pop(0) if words else "")
    found = Given(statement, tags, family, vendor=vendor, within=VENDOR_OPTION if vendor else number(within))
    if not any(words):
        raise NoOption("takes a default back, and there is none here")
    if any(each.strip("[]") in THIS_SERVER for each in words):
        raise NoOption("is the address of the machine that dnsmasq runs on: write it there")
    if found.within:
        found.member = member_of(code, words)
    else:
        found.option = option_of(statement, family, code, words)
    return found


def code_of(text: str) -> tuple[int, int]:
    """Return the code of 24, option:router, option6:24 or option6:dns-server."""
    kind, colon, name = text.partition(":")
    family = 6 if kind == "option6" else 4
    name = name if colon else text
    code = int(name) if name.isdecimal() and len(name) < 6 else NAMES[family].get(name.lower(), 0)
    if not code or (colon and kind not in ("option", "option6")):
        raise NoOption(f"{text or 'nothing'} is no option that is known")
    return family, code


def number(text: str) -> int:
    return int(text) if text.isdecimal() and len(text) < 4 else 0


def option_of(statement: Statement, family: int, code: int, words: list[str]) -> Option:
    definition = registry.lookup(family, code) or unknown(family, code)
    payload = payload_in(definition, words)
    if payload is None:
        raise NoOption(f"{','.join(words)!r} is not understood")
    fields = {"code": code, "payload": payload, "family": family}
    if statement.name == "dhcp-option-force":
        fields["always_send"] = True
    return Option(statement.line, fields)


def payload_in(definition: OptionDef, words: list[str]) -> Fields | None:
    plain = [each.strip("[]") if definition.family == 6 else each for each in words]
    if definition.code in ROUTES and definition.kind == "routes":
        if len(plain) % 2:
            return None
        pairs = zip(plain[::2], plain[1::2], strict=True)
        return {"routes": [{"destination": destination(one), "router": other} for one, other in pairs]}
    if definition.code in TIMES[definition.family]:
        return {"value": time} if (time := seconds(plain[0])) is not None else None
    if definition.kind in ("binary", "suboptions", "sip-servers"):
        return {"hex": octets(plain).hex()}
    return payload_of(definition, ",".join(each.replace(",", "\\,") for each in plain))


def destination(text: str) -> str:
    return text if "/" in text else f"{text}/32"


def octets(words: list[str]) -> bytes:
    """Return the octets as dnsmasq reads a value of no known layout: addresses, numbers of one, two or four octets,
    octets with colons, else text. Raises NoOption."""
    try:
        return b"".join(map(octet, words))
    except (ValueError, OverflowError):
        raise NoOption(f"{','.join(words)!r} is not understood") from None


def octet(word: str) -> bytes:
    if re.fullmatch(r"(?:[0-9]{1,3}\.){3}[0-9]{1,3}", word):
        return ip_address(word).packed
    if re.fullmatch(r"[0-9]{1,10}", word):
        value = int(word)
        return value.to_bytes(1 if value < 256 else 2 if value < 65536 else 4, "big")
    if re.fullmatch(r"[0-9A-Fa-f]{1,2}(?::[0-9A-Fa-f]{1,2})+", word):
        return bytes(int(each, 16) for each in word.split(":"))
    return word.encode()


def member_of(code: int, words: list[str]) -> bytes:
    """Return a suboption as it is sent."""
    data = octets(words)
    if not 1 <= code <= 254 or len(data) > 255:
        raise NoOption("is no suboption")
    return bytes((code, len(data))) + data


def gathered(members: list[Given]) -> list[Option]:
    """Return suboptions of one option as that option."""
    found: dict[tuple[int, str], list[Given]] = {}
    for each in members:
        found.setdefault((each.within, each.vendor), []).append(each)
    return [encapsulating(within, vendor, some) for (within, vendor), some in found.items()]


def encapsulating(within: int, vendor: str, members: list[Given]) -> Option:
    data = b"".join(each.member for each in members)
    payload: dict[str, Any] = {"hex": data.hex()}
    definition = registry.lookup(4, within)
    if definition and definition.kind == "suboptions":
        with suppress(ValidationError):
            payload = kinds.decode(definition, data)
    fields = {"code": within, "payload": payload, "family": 4}
    return Option(members[0].source.line, fields | ({"vendor_class": vendor} if vendor else {}))
