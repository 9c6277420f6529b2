"""dnsmasq.leases: a line a lease: when it ends, hardware address, address, name, client id. Behind a line with the
server's DUID those of DHCPv6: when it ends, IAID, address, name, DUID.

A dnsmasq that was built for machines without a clock writes how long a lease lasts in place of its end; that cannot be
told from here, and its leases are long over.
"""

import re
from collections.abc import Iterator
from ipaddress import IPv6Address, ip_address

from api.importers import server_duid
from api.importers.leases.lease import Client, Found, Lease, Unread, client4, client6, octets
from api.importers.leases.lines import Lines, as_text

SIGN = re.compile(r"^(?:\d{1,12} \S+ [0-9a-fA-F.:]+ \S+ \S+ *$|duid [0-9a-fA-F:]+$)", re.MULTILINE)
UNKNOWN = "*"


def read(lines: Lines) -> Iterator[Found]:
    for number, line in lines:
        words = line.split()
        try:
            if words[:1] == ["duid"]:
                yield Unread(number, server_duid.noted(octets(words[1])))
            elif words:
                yield lease(number, *words)
        except (ValueError, TypeError, IndexError):
            yield Unread(number)


def lease(line: int, ends: str, identity: str, address: str, name: str, client_id: str = UNKNOWN) -> Lease:
    """Return a lease; an end of 0 is never. Raises ValueError."""
    given = ip_address(address)
    of_6 = isinstance(given, IPv6Address)
    told = b"" if client_id == UNKNOWN else octets(client_id)
    return Lease(
        line,
        given,
        client6(told) if of_6 else by_hardware(identity, told),
        float(int(ends)) if int(ends) else None,
        "temporary" if of_6 and identity.startswith("T") else "active",
        "" if name == UNKNOWN else as_text(name),
    )


def by_hardware(identity: str, client_id: bytes) -> Client | None:
    """Return the hardware address; another type than Ethernet precedes it with a hyphen."""
    return client4(b"" if "-" in identity else octets(identity), client_id)
