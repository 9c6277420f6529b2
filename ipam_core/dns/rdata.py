"""The data of records: presentation format with absolute names, in one spelling (dnspython's).

In a client's data a name of one label is relative to the zone and any other absolute, with or without a closing dot.
Types that have no name of their own are TYPE65400, with their data in hexadecimal as RFC 3597 section 5 writes it.
"""

import re
from contextlib import suppress
from ipaddress import ip_address

import dns.exception
import dns.name
import dns.rdata
import dns.rdataclass
import dns.rdatatype
from dns.rdtypes.ANY.MX import MX
from dns.rdtypes.ANY.NS import NS

from ipam_core.errors import ValidationError

SHAPES = {
    "A": "192.0.2.10",
    "AAAA": "2001:db8::10",
    "CNAME": "www.example.net.",
    "MX": "10 mail.example.net.",
    "TXT": '"any text"',
    "SRV": "0 5 5060 sip.example.net. (priority, weight, port, target)",
    "PTR": "host.example.net.",
    "NS": "ns1.example.net.",
    "CAA": '0 issue "ca.example.net"',
    "SSHFP": "4 2 and 64 hexadecimal digits (algorithm, kind of fingerprint, fingerprint)",
    "TLSA": "3 1 1 and 64 hexadecimal digits (usage, selector, matching, data)",
    "HTTPS": '1 . alpn="h2" (priority, target, parameters)',
    "SVCB": '1 dot.example.net. alpn="dot" (priority, target, parameters)',
    "DS": "60485 13 2 and 64 hexadecimal digits (key tag, algorithm, digest type, digest)",
    "DNAME": "example.org.",
}
NAMES_AT = {
    **dict.fromkeys(("CNAME", "DNAME", "PTR", "NS"), (0,)),
    **dict.fromkeys(("MX", "AFSDB", "RT", "KX", "LP", "HTTPS", "SVCB"), (1,)),
    **dict.fromkeys(("RP", "MINFO"), (0, 1)),
    "PX": (1, 2),
    "SRV": (3,),
    "NAPTR": (5,),
}
"""At which words the data has names that may be relative to the zone."""
WORD = re.compile(r'"(?:\\.|[^"\\])*"|(?:\\.|[^\s";])+')
"""A semicolon begins a comment."""
MOST_DATA = 64_000
"""Octets of a record's data. A response has 65,535, with its question, an OPT record and a signature."""
UNKNOWN = re.compile(r"TYPE(\d{1,5})")
TXT_OCTETS = 255

# Of the zone itself, or of a signed zone, which this version does not make.
ELSEWHERE = {
    "SOA": "is defined by fields of the zone (mname, rname, refresh_seconds, ...)",
    **dict.fromkeys(
        ("DNSKEY", "RRSIG", "NSEC", "NSEC3", "NSEC3PARAM", "CDS", "CDNSKEY"),
        "belongs to signed zones, which are not supported",
    ),
}


def record_type(text: str) -> str:
    """Return a record's type in one spelling: its name, or TYPE and its number. Raises ValidationError for what is no
    type of records, and for those that cannot be stored."""
    name = text.upper()
    number = UNKNOWN.fullmatch(name)
    try:
        if number and not 0 < int(number[1]) < 65536:
            raise ValueError(text)
        kind = dns.rdatatype.from_text(name)
    except (dns.exception.DNSException, ValueError):
        known = ", ".join(SHAPES)
        raise ValidationError("type", f"must be {known}, or TYPE and a number up to 65535") from None
    found = dns.rdatatype.to_text(kind)
    if found in ELSEWHERE:
        raise ValidationError("type", f"{found} {ELSEWHERE[found]}")
    if dns.rdatatype.is_metatype(kind) or 128 <= kind <= 255 or kind == dns.rdatatype.OPT:
        raise ValidationError("type", f"{found} is a type of queries, not of records")
    return found


def record_data(kind: str, text: str, zone: str) -> str:
    """Return the data in one spelling; raises ValidationError where it is not of the type, or names no host."""
    check_target(kind, text)
    try:
        if not text.strip() or any(ord(c) < 32 for c in text):
            raise ValueError(text)
        written = quoted(text) if kind == "TXT" else absolute(kind, text.strip())
        rdata = dns.rdata.from_text(
            dns.rdataclass.IN,
            dns.rdatatype.from_text(kind),
            written,
            dns.name.from_text(zone),
            relativize=False,
        )
        found: str = spelt(rdata)
        check_root(rdata)
    except (dns.exception.DNSException, ValueError) as error:
        raise ValidationError("data", f"is not the data of a record of type {kind}: {shape(kind)}") from error
    return found


def check_target(kind: str, text: str) -> None:
    """Raise ValidationError for an address where the type has a name: with a dot behind it it would be a name."""
    for word in named_words(kind, text):
        with suppress(ValueError):
            address = ip_address(word[0].rstrip("."))
            record = "A" if address.version == 4 else "AAAA"
            raise ValidationError(
                "data",
                f"{address} is an address, but {kind} needs a name: create an {record} record and use its name",
            )


def check_root(rdata: dns.rdata.Rdata) -> None:
    """Raise ValidationError for the root as a target where it means nothing: MX has it for "no mail", with preference 0
    (RFC 7505), SRV for "no such service" (RFC 2782)."""
    if isinstance(rdata, MX) and rdata.exchange == dns.name.root and rdata.preference:
        raise ValidationError("data", 'means "no mail" (RFC 7505), which needs preference 0: write 0 .')
    if isinstance(rdata, NS) and rdata.target == dns.name.root:
        raise ValidationError("data", "must be the name of a name server, not .")


def spelt(rdata: dns.rdata.Rdata) -> str:
    """Return the data in one spelling, with names in full. Raises ValidationError for data that fits into no
    response."""
    text: str = rdata.to_text()
    if len(text) > MOST_DATA and (octets := len(rdata.to_wire() or b"")) > MOST_DATA:
        raise ValidationError("data", f"has {octets} octets, and at most {MOST_DATA} fit into a response")
    return text


def quoted(text: str) -> str:
    """Return a text without quotes as one text, blanks and semicolons included."""
    if text.lstrip().startswith('"'):
        return text
    octets = text.encode()
    parts = [octets[at : at + TXT_OCTETS] for at in range(0, len(octets), TXT_OCTETS)]
    return " ".join('"' + "".join(map(escaped, part)) + '"' for part in parts)


def escaped(octet: int) -> str:
    plain = 32 <= octet < 127 and chr(octet) not in '"\\'
    return chr(octet) if plain else f"\\{octet:03}"


def absolute(kind: str, text: str) -> str:
    """Return the data with its names in full, as far as they have several labels."""
    if text.startswith("\\#"):
        return text
    for word in reversed(named_words(kind, text)):
        if "." in word[0] and not word[0].endswith("."):
            text = f"{text[: word.end()]}.{text[word.end() :]}"
    return text


def named_words(kind: str, text: str) -> list[re.Match[str]]:
    """Return the names in the data, in the order of the text. A quoted text is one word."""
    words = list(WORD.finditer(text))
    places = NAMES_AT.get(kind, ())
    return [words[at] for at in places if at < len(words)]


def shape(kind: str) -> str:
    if kind in SHAPES:
        return f"it looks like {SHAPES[kind]}"
    return r"it looks like \# 4 c0000201 (number of octets, and the octets in hexadecimal)"
