"""Subnets of a plan by the addresses in them."""

from ipaddress import IPv4Address, IPv4Network, IPv6Address, IPv6Network, ip_address

from api.importers.plan import Planned


class Networks:
    """Objects by their networks; of those that overlap the longest prefix is meant."""

    def __init__(self) -> None:
        self.by_length: dict[tuple[int, int], dict[int, Planned]] = {}
        """By version and how many bits are the hosts', then by the bits of the network."""

    def add(self, network: IPv4Network | IPv6Network, planned: Planned) -> None:
        hosts = network.max_prefixlen - network.prefixlen
        found = self.by_length.setdefault((network.version, hosts), {})
        found.setdefault(int(network.network_address) >> hosts, planned)
        self.by_length = dict(sorted(self.by_length.items()))

    def exactly(self, network: IPv4Network | IPv6Network) -> Planned | None:
        """Return what has this network."""
        hosts = network.max_prefixlen - network.prefixlen
        found = self.by_length.get((network.version, hosts), {})
        return found.get(int(network.network_address) >> hosts)

    def around(self, address: IPv4Address | IPv6Address) -> Planned | None:
        """Return what holds the address."""
        value = int(address)
        for (version, hosts), networks in self.by_length.items():
            if version == address.version and (found := networks.get(value >> hosts)):
                return found
        return None

    def of_text(self, text: str) -> Planned | None:
        """Return None also where the text is no address."""
        try:
            return self.around(ip_address(text))
        except ValueError:
            return None
