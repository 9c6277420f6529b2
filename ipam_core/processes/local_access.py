"""Operator of this machine, as opposed to callers that merely reach an address of it.

The operator may watch clients' packets, and uses the API before the first token exists. A host may have many users, so
the client's socket must be on the loopback interface and belong to root or to the server's account. The kernel lists
the owners in /proc/net/tcp. A web page cannot make a browser read packets: requests with a foreign Host, an Origin or a
forwarding header are refused.
"""

import os
import re
from collections.abc import Iterable
from ipaddress import IPv4Address, IPv6Address, ip_address
from pathlib import Path

from ipam_core.processes.health import HttpRequest

TABLES = {4: Path("/proc/net/tcp"), 6: Path("/proc/net/tcp6")}
LOCAL, REMOTE, UID, INODE = 1, 2, 7, 9
OVERFLOW = Path("/proc/sys/kernel/overflowuid")
NO_SOCKET = "0"
# Headers by which proxies, load balancers and content networks name the client, the site or themselves.
PASSED_ON = re.compile(
    r"forward|^via$|^(x-)?(real|client|remote|true-client|cluster-client|originating|source|proxyuser)-?(ip|addr|host|port)"
    r"|^x-(original|real|envoy|proxy|nginx|varnish|arr|azure|appengine|amz|amzn|cloud|cdn|akamai|rewrite|scheme|remote"
    r"|client|cluster|source|gateway|via|ssl|tls)(-|$)|^(cf|cdn|fastly|akamai|fly|wl-proxy|proxy|true-client|ali-cdn|incap)-"
    r"|^(max-forwards|front-end-https|remote-addr|remote-host|http-client-ip|x-host|x-url-scheme)$"
)


def refusal(request: HttpRequest) -> str | None:
    """Return why this request may not look; None when it may."""
    if not unmapped(request.peer[0]).is_loopback:
        return "packets are shown only on this host: run the command there"
    browser = "origin" in request.headers or not is_own_name(request.headers.get("host", ""))
    if browser or passed_on(request.headers):
        return "packets are not shown through a browser or a proxy"
    if not is_operator(owner(request.peer, request.local)):
        return "packets are shown only to root and to the account of the server"
    return None


def is_own_name(host: str) -> bool:
    """Return whether the name is an address. A web page can point its own name at 127.0.0.1; an address it cannot
    take."""
    name = host.rpartition(":")[0] if host.rpartition(":")[2].isdecimal() else host
    try:
        return ip_address(name.strip("[]")).is_loopback
    except ValueError:
        return name == "localhost"


def passed_on(headers: Iterable[str]) -> bool:
    """Return whether a header shows that the request passed a proxy; `headers`: lower-case names."""
    return any(PASSED_ON.search(name) for name in headers)


def is_operator(account: int | None) -> bool:
    """Return whether the account is root or that of this process. In a container accounts that have no number there are
    all shown as one, so that one is nobody's."""
    return account == 0 or (account == os.geteuid() and account != overflow())


def overflow() -> int:
    try:
        return int(OVERFLOW.read_text())
    except (OSError, ValueError):
        return 65534


def unmapped(host: str) -> IPv4Address | IPv6Address:
    address = ip_address(host.partition("%")[0])
    return getattr(address, "ipv4_mapped", None) or address


def owner(peer: tuple[str, int], local: tuple[str, int]) -> int | None:
    """Return the account of the socket at the other end of a connection from this machine; None where it has none.

    A socket that its process has closed is listed as root's, without an inode: a client that hangs up is not root."""
    for table in TABLES.values():
        rows = table.read_text().splitlines()[1:] if table.exists() else []
        for row in map(str.split, rows):
            if (written(row[LOCAL]), written(row[REMOTE])) == (known(peer), known(local)):
                return int(row[UID]) if row[INODE] != NO_SOCKET else None
    return None


def known(end: tuple[str, int]) -> tuple[IPv4Address | IPv6Address, int]:
    return unmapped(end[0]), end[1]


def written(end: str) -> tuple[IPv4Address | IPv6Address, int]:
    """Return the address as the kernel writes it, `0100007F:1F91`: words in the machine's own order, of which this code
    knows the little-endian."""
    address, port = end.split(":")
    octets = bytes.fromhex(address)
    words = [octets[at : at + 4][::-1] for at in range(0, len(octets), 4)]
    return unmapped(str(ip_address(b"".join(words)))), int(port, 16)
