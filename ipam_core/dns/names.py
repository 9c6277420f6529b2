"""Names of zones and of what is in them.

A zone's name is kept in lower case, ASCII, without the closing dot. A record's owner is relative to its zone (`@` is
the zone itself).
"""

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


def zone_name(text: str) -> str:
    """Raises ValidationError for what no zone can be called."""
    name = read_name("name", text)
    if name == dns.name.root or name.is_wild():
        raise ValidationError("name", "must be the name of a zone, such as example.net")
    return name.to_text(omit_final_dot=True)


def mailbox(text: str) -> str:
    """The name that stands for a mail address: the first label is the part before the @, dots and all (RFC 1035
    section 8)."""
    local, at, domain = text.partition("@")
    label = local.replace(".", "\\.")
    return domain_text("rname", f"{label}.{domain}" if at else text)


def domain_text(field: str, text: str) -> str:
    """A name in full, without the closing dot. Raises ValidationError on the field."""
    return read_name(field, text).to_text(omit_final_dot=True)


def owner_name(text: str, zone: str) -> str:
    """Relative to the zone. What ends with the zone's name is meant in full: nobody wants it twice. Raises
    ValidationError for a name outside the zone, and for a * that is not the first label."""
    origin = dns.name.from_text(zone)
    name = read_name("name", text, None)
    if not name.is_absolute():
        whole = name.concatenate(dns.name.root) if len(name.labels) else origin
        name = whole if whole.is_subdomain(origin) else read_name("name", text, origin)
    if not name.is_subdomain(origin):
        raise ValidationError("name", f"does not lie in the zone {zone}")
    if any(label == b"*" for label in name.labels[1:]):
        raise ValidationError("name", "only the first label may be *")
    return name.relativize(origin).to_text()
