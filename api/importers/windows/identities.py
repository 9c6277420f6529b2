"""Names and lease times of clients in Windows."""

import re

from api.importers.plan import Fields
from ipam_core.model.lifetimes import of_others

MAC_OCTETS = 6
SPAN = re.compile(r"(?:([0-9]{1,8})\.)?([0-9]{1,2}):([0-9]{1,2}):([0-9]{1,2})(?:\.[0-9]+)?")


def octets(text: str) -> str | None:
    """Return the octets of 00-15-5d-01-02-03, 0x00155d010203 or 00155d010203, as bare hexadecimal."""
    plain = re.sub(r"[-:.\s]", "", text.lower().removeprefix("0x"))
    return plain if re.fullmatch(r"(?:[0-9a-f]{2})+", plain) else None


def identity(client_id: str) -> Fields:
    """Return the identity; a client id of six octets is the hardware address, and one of another length never is.
    Empty: it is none."""
    found = octets(client_id)
    if found is None:
        return {}
    return {"mac" if len(found) == 2 * MAC_OCTETS else "client_id": colons(found)}


def colons(octets: str) -> str:
    return ":".join(re.findall("..", octets))


def seconds(span: str) -> int | None:
    """Return the seconds of a .NET TimeSpan, d.hh:mm:ss; some languages of Windows write a comma. The longest is a
    lease without end."""
    found = SPAN.fullmatch(span.strip().replace(",", "."))
    if found is None:
        return None
    days, hours, minutes, rest = (int(each or 0) for each in found.groups())
    return of_others(((days * 24 + hours) * 60 + minutes) * 60 + rest)
