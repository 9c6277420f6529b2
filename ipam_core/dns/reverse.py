"""The zones in which the names of a network's addresses are found: in-addr.arpa and ip6.arpa.

A network that ends between two labels has several zones, one a label. One smaller than the last label (IPv4 longer
than /24) has a zone of its own kind (RFC 2317): `64/26.2.0.192.in-addr.arpa`, to which the zone above leads by an
alias for each address.
"""

from collections.abc import Iterator
from ipaddress import IPv4Address, IPv4Network, IPv6Address, IPv6Network

Address = IPv4Address | IPv6Address
Network = IPv4Network | IPv6Network

BITS = {4: 8, 6: 4}  # of one label
LAST_LABEL = 24  # an IPv4 network that is longer begins within the last label


def zones_of(network: Network) -> list[str]:
    """Return names of the zones that hold the network's addresses: one, or as many as the label has values in which the
    network ends (128 of IPv4, 8 of IPv6 at most)."""
    if is_classless(network):
        return [classless_zone(network)]
    bits = BITS[network.version]
    length = -(-network.prefixlen // bits) * bits
    return [zone_at(part) for part in network.subnets(new_prefix=length)]


def is_classless(network: Network) -> bool:
    """Return whether it is less than one label."""
    return network.version == 4 and network.prefixlen > LAST_LABEL


def zone_at(network: Network) -> str:
    """Return the zone of a network that ends at a label's boundary."""
    labels = network.network_address.reverse_pointer.split(".")
    left_out = (network.max_prefixlen - network.prefixlen) // BITS[network.version]
    return ".".join(labels[left_out:])


def classless_zone(network: Network) -> str:
    last, _, above = network.network_address.reverse_pointer.partition(".")
    return f"{last}/{network.prefixlen}.{above}"


def zone_above(network: Network) -> str:
    """Return the zone of 256 addresses in which those of a classless network are aliases."""
    return network.network_address.reverse_pointer.partition(".")[2]


def aliases(network: Network) -> Iterator[tuple[str, str]]:
    """Yield the records of the zone above a classless network: owner and target of a CNAME for each of its
    addresses."""
    zone = classless_zone(network)
    for address in network:
        last = address.reverse_pointer.partition(".")[0]
        yield last, f"{last}.{zone}."


def pointer_name(address: Address, zone: str) -> str | None:
    """Return the owner of the address's PTR record in the zone, in full without the closing dot; None where the zone
    does not hold the address."""
    name = address.reverse_pointer
    if name.endswith("." + zone) or name == zone:
        return name
    span = network_of(zone)
    if span is not None and address in span:
        return f"{name.partition('.')[0]}.{zone}"
    return None


def network_of(zone: str) -> IPv4Network | None:
    """Return the network of a classless zone's name, with / or - before the length or the last address (both are in
    use)."""
    first, _, above = zone.partition(".")
    octets = above.removesuffix(".in-addr.arpa").split(".")
    if not above.endswith(".in-addr.arpa") or len(octets) != 3:
        return None
    base = ".".join(reversed(octets))
    start, slash, length = first.partition("/")
    try:
        if slash:
            return IPv4Network(f"{base}.{start}/{length}")
        begin, _, end = first.partition("-")
        count = int(end) - int(begin) + 1
        return IPv4Network(f"{base}.{begin}/{33 - count.bit_length()}") if is_power(count) else None
    except ValueError:
        return None


def is_power(count: int) -> bool:
    return count > 0 and not count & (count - 1)


def address_of(name: str) -> Address | None:
    """Return the address that a name in full of in-addr.arpa or ip6.arpa stands for; None: it stands for none."""
    lower = name.lower().removesuffix(".")
    try:
        if lower.endswith(".in-addr.arpa"):
            octets = lower.removesuffix(".in-addr.arpa").split(".")
            return IPv4Address(".".join(reversed(octets)))
        if lower.endswith(".ip6.arpa"):
            digits = "".join(reversed(lower.removesuffix(".ip6.arpa").split(".")))
            return IPv6Address(int(digits, 16)) if len(digits) == 32 else None
    except ValueError:
        return None
    return None
