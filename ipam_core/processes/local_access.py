"""Who may watch clients' packets: the operator of this machine, and nobody who merely reaches an address of it.

The health address may be open to a monitoring system, and a machine may have many users; so the asking socket must be
on this machine's loopback and belong to root or to the account that the server runs as (the kernel says whose it is in
/proc/net/tcp). A browser cannot be made to look: what bears a foreign Host, an Origin or a forwarding header is
refused.
"""

import os
from ipaddress import IPv4Address, IPv6Address, ip_address
from pathlib import Path

from ipam_core.processes.health import HttpRequest

FOREIGN = ("origin", "forwarded", "x-forwarded-for", "x-forwarded-host", "via")
TABLES = {4: Path("/proc/net/tcp"), 6: Path("/proc/net/tcp6")}
LOCAL, REMOTE, UID = 1, 2, 7


def refusal(request: HttpRequest) -> str | None:
    """Why this request may not look; None when it may."""
    if not unmapped(request.peer[0]).is_loopback:
        return "packets are shown to this machine only"
    if any(name in request.headers for name in FOREIGN) or not is_own_name(request.headers.get("host", "")):
        return "packets are not shown through a browser or a proxy"
    if owner(request.peer, request.local) not in (0, os.geteuid()):
        return "packets are shown to root and to the server's own account only"
    return None


def is_own_name(host: str) -> bool:
    """A web page can point its own name at 127.0.0.1; an address it cannot take."""
    name = host.rpartition(":")[0] if host.rpartition(":")[2].isdecimal() else host
    try:
        return ip_address(name.strip("[]")).is_loopback
    except ValueError:
        return name == "localhost"


def unmapped(host: str) -> IPv4Address | IPv6Address:
    address = ip_address(host)
    return getattr(address, "ipv4_mapped", None) or address


def owner(peer: tuple[str, int], local: tuple[str, int]) -> int | None:
    """The account of the socket at the other end of a loopback connection."""
    for table in TABLES.values():
        rows = table.read_text().splitlines()[1:] if table.exists() else []
        for row in map(str.split, rows):
            if (written(row[LOCAL]), written(row[REMOTE])) == (known(peer), known(local)):
                return int(row[UID])
    return None


def known(end: tuple[str, int]) -> tuple[IPv4Address | IPv6Address, int]:
    return unmapped(end[0]), end[1]


def written(end: str) -> tuple[IPv4Address | IPv6Address, int]:
    """`0100007F:1F91`: words in the machine's own order, of which this code knows the little-endian."""
    address, port = end.split(":")
    octets = bytes.fromhex(address)
    words = [octets[at : at + 4][::-1] for at in range(0, len(octets), 4)]
    return unmapped(str(ip_address(b"".join(words)))), int(port, 16)
