"""Reverse zones by their networks."""

import pytest

from ipam_core.dns.names import network_zone, suffix_names, zone_name
from ipam_core.errors import ValidationError

ZONES = {
    "10.0.0.0/8": "10.in-addr.arpa",
    "10.50.0.0/16": "50.10.in-addr.arpa",
    "192.0.2.0/24": "2.0.192.in-addr.arpa",
    "192.0.2.0/25": "0/25.2.0.192.in-addr.arpa",
    "192.0.2.64/26": "64/26.2.0.192.in-addr.arpa",
    "2001:db8::/32": "8.b.d.0.1.0.0.2.ip6.arpa",
    "2001:DB8:A::/48": "a.0.0.0.8.b.d.0.1.0.0.2.ip6.arpa",
}


@pytest.mark.parametrize(("network", "zone"), ZONES.items())
def test_a_network_stands_for_its_zone(network: str, zone: str) -> None:
    assert zone_name(network) == zone
    assert zone_name(zone) == zone
    assert suffix_names([network, zone]) == [zone]


REFUSED = {
    "10.50.4.0/22": (
        "10.50.4.0/22 has 4 reverse zones: create 4.50.10.in-addr.arpa, 5.50.10.in-addr.arpa, "
        "6.50.10.in-addr.arpa, 7.50.10.in-addr.arpa; or create 50.10.in-addr.arpa for all of 10.50.0.0/16"
    ),
    "10.0.0.0/9": (
        "10.0.0.0/9 has 128 reverse zones: create 0.10.in-addr.arpa to 127.10.in-addr.arpa; "
        "or create 10.in-addr.arpa for all of 10.0.0.0/8"
    ),
    "8.0.0.0/7": "8.0.0.0/7 has 2 reverse zones: create 8.in-addr.arpa, 9.in-addr.arpa",
    "2001:db8::/35": (
        "2001:db8::/35 has 2 reverse zones: create 0.8.b.d.0.1.0.0.2.ip6.arpa, 1.8.b.d.0.1.0.0.2.ip6.arpa; "
        "or create 8.b.d.0.1.0.0.2.ip6.arpa for all of 2001:db8::/32"
    ),
    "10.50.1.0/16": "has host bits set; the network is 10.50.0.0/16",
    "10.50.0.0/33": "must be a network in CIDR notation, such as 192.0.2.0/24",
    "10.50.0.0": "10.50.0.0 is an address: give a network, such as 10.50.0.0/24, or a name",
    "2001:db8::": "2001:db8:: is an address: give a network, such as 2001:db8::/64, or a name",
}


@pytest.mark.parametrize(("network", "reason"), REFUSED.items())
def test_a_network_that_is_not_one_zone_is_refused(network: str, reason: str) -> None:
    with pytest.raises(ValidationError) as refused:
        zone_name(network)
    assert (refused.value.field, refused.value.reason) == ("name", reason)


def test_names_stay_names() -> None:
    for name in ("example.net", "0/25.2.0.192.in-addr.arpa", "50.10.in-addr.arpa", "10"):
        assert network_zone(name, "name") is None
