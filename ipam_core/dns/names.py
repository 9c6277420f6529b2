"""Names of zones and of what is in them.

A zone's name is kept in lower case, ASCII, without the closing dot. A record's owner is relative to its zone (`@` is
the zone itself).
"""

from collections.abc import Iterable

import dns.exception
import dns.name

from ipam_core.errors import ValidationError

APEX = "@"


def read_name(field: str, text: str, origin: dns.name.Name | None = dns.name.root) -> dns.name.Name:
    """A name in lower case. Raises ValidationError on the field."""
    try:
        if not text.isprintable() or " " in text:
            raise ValueError(text)
        return dns.name.from_text(text, origin).canonicalize()
    except (dns.exception.DNSException, ValueError):
        raise ValidationError(field, "must be a domain name, such as example.net") from None


def zone_name(text: str, field: str = "name") -> str:
    """Raises ValidationError on the field for what no zone can be called."""
    name = read_name(field, text)
    if name == dns.name.root or name.is_wild():
        raise ValidationError(field, "must be the name of a zone, such as example.net")
    return name.to_text(omit_final_dot=True)


def suffix_names(texts: Iterable[str]) -> list[str]:
    """Return a tenant's suffixes as they are stored, each once. Raises ValidationError."""
    return list(dict.fromkeys(zone_name(text, "dns_suffixes") for text in texts))


def names_above(text: str) -> list[str]:
    """Return a zone's name and the names above it, the longest first; the root is left out."""
    name = dns.name.from_text(text)
    found = []
    while name != dns.name.root:
        found.append(name.to_text(omit_final_dot=True))
        name = name.parent()
    return found


def is_within(name: str, zone: str) -> bool:
    """Return whether a name in full lies at or below a zone; both as they are stored. An escaped dot ends no label."""
    return name == zone or (name.endswith("." + zone) and ("\\" not in name or zone in names_above(name)))


def mailbox(text: str) -> str:
    """The name that stands for a mail address: the first label is the part before the @, dots and all (RFC 1035
    section 8)."""
    local, at, domain = text.partition("@")
    label = local.replace(".", "\\.")
    return domain_text("rname", f"{label}.{domain}" if at else text)


def domain_text(field: str, text: str) -> str:
    """A name in full, without the closing dot. Raises ValidationError on the field."""
    return read_name(field, text).to_text(omit_final_dot=True)


def cuts(name: str, zone: str) -> list[str]:
    """Return the name and those above it, below the zone's own: where a delegation would take it out of the zone."""
    above = names_above(name)
    return above[: above.index(zone)] if zone in above else []


def owner_name(text: str, zone: str) -> str:
    """Relative to the zone. What ends with the zone's name is meant in full: nobody wants it twice. Raises
    ValidationError for a name outside the zone, and for a * that is not the first label."""
    origin = dns.name.from_text(zone)
    name = read_name("name", text, None)
    if not name.is_absolute():
        whole = name.concatenate(dns.name.root) if len(name.labels) else origin
        name = whole if whole.is_subdomain(origin) else read_name("name", text, origin)
    if not name.is_subdomain(origin):
        raise ValidationError("name", f"is not in the zone {zone}")
    if any(label == b"*" for label in name.labels[1:]):
        raise ValidationError("name", "only the first label may be *")
    return name.relativize(origin).to_text()
