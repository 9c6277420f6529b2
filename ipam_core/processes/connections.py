"""Open connections of a listener, bounded in all and by network (an IPv4 address, or a /56 of IPv6).

Nobody can keep others out by connecting: when a bound is reached, the connection that has been idle for longest is
closed and the new one takes its place. It is one of the new one's own network if that is full, else one of the network
that holds most. A connection that is being served is never closed; if there is no idle one, the new one is refused.
"""

import contextlib
import resource
from collections import OrderedDict
from collections.abc import Callable
from ipaddress import ip_address, ip_network
from typing import TypeAlias

from ipam_core.model.values import Address, Network

MOST_OF_ONE = 64
MOST = 4096
OWN_FILES = 256  # of a process: its files, its sessions of the database and what it sends itself
IPV6_LENGTH = 56

Abort = Callable[[], None]
Group: TypeAlias = (
    "OrderedDict[Connection, None]"  # of one network, the one that has been idle for longest first
)


class Connection:
    """One that is open. It is idle until `begin`, and again after `rest`."""

    def __init__(self, network: Network | None, group: "Group", abort: Abort) -> None:
        self.network = network
        self.group = group
        self.abort = abort
        self.is_idle = True

    def begin(self) -> None:
        """Note that a request of the client is complete and is being served."""
        self.is_idle = False

    def rest(self) -> None:
        """Note that the client has been answered."""
        self.is_idle = True
        if self in self.group:
            self.group.move_to_end(self)


class Connections:
    """Connections of a listener; `most_of_one` 0 is no bound by network."""

    def __init__(self, most: int, most_of_one: int = MOST_OF_ONE) -> None:
        self.most = most
        self.most_of_one = most_of_one
        self.groups: dict[Network | None, OrderedDict[Connection, None]] = {}
        self.count = 0
        self.evicted = self.refused = 0

    def admit(self, peer: Address | None, abort: Abort, *, exempt: bool = False) -> Connection | None:
        """Return a new one, or None: it is to be closed. `abort` closes it later, to make room. Connections of an
        `exempt` peer, a proxy with many clients, count in all alone and are never closed."""
        network = network_of(peer)
        group: Group = OrderedDict() if exempt else self.groups.get(network, OrderedDict())
        if self.most_of_one and len(group) >= self.most_of_one and not self.evict(group):
            self.refused += 1
            return None
        if self.count >= self.most and not self.make_room():
            self.refused += 1
            return None
        if not exempt:
            group = self.groups.setdefault(network, OrderedDict())
        made = Connection(network, group, abort)
        group[made] = None
        self.count += 1
        return made

    def make_room(self) -> bool:
        return any(self.evict(group) for group in sorted(self.groups.values(), key=len, reverse=True))

    def evict(self, group: "Group") -> bool:
        """Close the one that has been idle for longest; False where there is none."""
        found = next((each for each in group if each.is_idle), None)
        if found is None:
            return False
        self.leave(found)
        self.evicted += 1
        found.abort()
        return True

    def leave(self, connection: Connection) -> None:
        """Note that the connection has ended; one that made room has left already."""
        if connection not in connection.group:
            return
        del connection.group[connection]
        self.count -= 1
        if not connection.group and self.groups.get(connection.network) is connection.group:
            del self.groups[connection.network]


def network_of(address: Address | None) -> Network | None:
    """Return the network by which connections are counted; all unknown addresses are one."""
    if address is None:
        return None
    return ip_network((address, IPV6_LENGTH if address.version == 6 else 32), strict=False)


def peer_address(host: str) -> Address | None:
    """Return the address of a socket's other end, without the zone of a link-local address; one that is mapped into
    IPv6 is the IPv4 address."""
    try:
        address = ip_address(host.partition("%")[0])
    except ValueError:
        return None
    return getattr(address, "ipv4_mapped", None) or address


def raise_file_limit() -> None:
    """Let this process open as many files as its hard limit permits: each connection is one, and the soft limit of
    1,024 exists for programs that call select()."""
    soft, hard = resource.getrlimit(resource.RLIMIT_NOFILE)
    if soft != hard:
        with contextlib.suppress(OSError, ValueError):  # a filter of system calls may forbid it
            resource.setrlimit(resource.RLIMIT_NOFILE, (hard, hard))


def most_connections(most: int = MOST) -> int:
    """Return how many a listener may have, so that the process never runs out of files."""
    soft, _ = resource.getrlimit(resource.RLIMIT_NOFILE)
    return most if soft == resource.RLIM_INFINITY else max(1, min(most, soft - OWN_FILES, soft * 3 // 4))
