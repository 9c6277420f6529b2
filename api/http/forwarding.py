"""The client's address: the socket's peer, or whom trusted proxies name.

The only module that reads forwarding headers. It believes one of them, a setting, and only from trusted proxies, hop by
hop from our end; the first hop that it cannot read ends the walk, because what stands to its left is the client's own
text. Then the client is unknown: in no network, and remote.
"""

import re
from collections.abc import Mapping
from ipaddress import IPv6Address, ip_address

import msgspec

from ipam_core.model.values import Address, Network
from ipam_core.processes.local_access import passed_on

FORWARDING = (
    "forwarded", "x-forwarded-for", "x-forwarded-host", "x-forwarded-proto", "x-real-ip", "x-client-ip",
    "true-client-ip", "cf-connecting-ip", "x-cluster-client-ip", "x-original-forwarded-for", "fastly-client-ip",
    "x-envoy-external-address", "x-forwarded", "forwarded-for", "via",
)  # fmt: skip
# RFC 7239 section 6, and what proxies write into X-Forwarded-For: an address with or without a port, IPv6 in brackets.
NODE = re.compile(r"\[(?P<v6>[0-9A-Fa-f:.]+)\](?::\w+)?|(?P<v4>[0-9.]+)(?::\w+)?|(?P<bare>[0-9A-Fa-f:.]+)")

Headers = Mapping[str, str]


class Client(msgspec.Struct, frozen=True):
    """Source of a request; no address: unknown. `local`: by loopback, as far as a socket or a trusted proxy can tell.
    `own`: from one of this host's addresses to itself."""

    address: Address | None
    local: bool
    own: bool = False


def read_address(text: str) -> Address | None:
    """Return an address as sockets write it; an IPv4 address mapped into IPv6 is the IPv4 address, and the zone of a
    link-local one is no part of it."""
    try:
        address = ip_address(text.partition("%")[0])
    except ValueError:
        return None
    if isinstance(address, IPv6Address) and address.ipv4_mapped:
        return address.ipv4_mapped
    return address


def read_node(text: str) -> Address | None:
    """Return an address as headers write it."""
    found = NODE.fullmatch(text.strip().removeprefix('"').removesuffix('"').strip())
    return read_address(found["v6"] or found["v4"] or found["bare"]) if found else None


def within(address: Address | None, networks: tuple[Network, ...]) -> bool:
    return address is not None and any(
        address.version == network.version and address in network for network in networks
    )


def find_client(
    peer: str | None,
    headers: Headers,
    trusted: tuple[Network, ...],
    believed: str,
    reached: str | None = None,
) -> Client:
    """Return the nearest address that no trusted proxy of ours vouches for as another's.

    A peer that is a trusted proxy and names nobody is never local: it may have passed on anybody's request. `reached`
    is the address that the connection was made to; no other host can use it as its own."""
    address = read_address(peer or "")
    if not within(address, trusted):
        loopback = address is not None and address.is_loopback
        itself = address is not None and address == read_address(reached or "")
        near = (loopback or itself) and not passed_on(headers)
        return Client(address, loopback and near, itself and near)
    if not any(name in headers for name in FORWARDING):
        return Client(address, local=False)
    return farthest(hops(headers, believed), trusted)


def farthest(named: list[str], trusted: tuple[Network, ...]) -> Client:
    """Return the first hop from our end that is no trusted proxy, or the last of those that all are."""
    address = None
    for node in reversed(named):
        address = read_node(node)
        if not within(address, trusted):
            break
    return Client(address, address is not None and address.is_loopback)


def hops(headers: Headers, believed: str) -> list[str]:
    """Return what proxies wrote down, the client's end first.

    Commas part hops even inside quotes: no node has one, and quotes that a client left open must not swallow the hop
    that the proxy added behind them."""
    if believed not in headers:
        return []
    elements = headers[believed].split(",")
    return [node_of(each) for each in elements] if believed == "forwarded" else elements


def node_of(element: str) -> str:
    """Return the one `for` of an element (RFC 7239 section 4); without exactly one, a text that is no address."""
    pairs = [pair.strip().partition("=") for pair in element.split(";")]
    named = [value for name, _, value in pairs if name.strip().lower() == "for"]
    return named[0] if len(named) == 1 else ""
