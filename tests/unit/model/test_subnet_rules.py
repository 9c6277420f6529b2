"""Rules on a subnet's fields and on addresses of hosts, v4 and v6 in one table."""

from ipaddress import ip_address, ip_network
from typing import Any

import pytest

from ipam_core.errors import ValidationError
from ipam_core.model import decoding
from ipam_core.model.subnet import NewSubnet, check_subnet, usable


@pytest.mark.parametrize(
    ("cidr", "address", "fits"),
    [
        ("10.0.0.0/24", "10.0.0.0", False),
        ("10.0.0.0/24", "10.0.0.1", True),
        ("10.0.0.0/24", "10.0.0.254", True),
        ("10.0.0.0/24", "10.0.0.255", False),
        ("10.0.0.0/24", "10.0.1.1", False),
        ("10.0.0.0/30", "10.0.0.3", False),
        ("10.0.0.0/31", "10.0.0.0", True),
        ("10.0.0.0/31", "10.0.0.1", True),
        ("10.0.0.7/32", "10.0.0.7", True),
        ("2001:db8::/64", "2001:db8::", True),
        ("2001:db8::/64", "2001:db8::ffff:ffff:ffff:ffff", True),
        ("2001:db8::/64", "10.0.0.1", False),
    ],
)
def test_hosts_bear_neither_network_nor_broadcast_address(cidr: str, address: str, fits: bool) -> None:
    assert usable(ip_address(address), ip_network(cidr)) is fits


@pytest.mark.parametrize(
    ("fields", "field"),
    [
        ({"gateway": "10.0.1.1"}, "gateway"),
        ({"gateway": "10.0.0.0"}, "gateway"),
        ({"gateway": "2001:db8::1"}, "gateway"),
        ({"min_lease_time_seconds": 90000}, "min_lease_time_seconds"),
        ({"max_lease_time_seconds": 60}, "lease_time_seconds"),
        ({"renew_time_seconds": 800, "rebind_time_seconds": 700}, "renew_time_seconds"),
        ({"rebind_time_seconds": 86401}, "rebind_time_seconds"),
        ({"relay_addresses": ["2001:db8::1"]}, "relay_addresses"),
        ({"ntp_servers": ["2001:db8::1"]}, "ntp_servers"),
    ],
)
def test_fields_that_contradict_each_other_are_refused(fields: dict[str, Any], field: str) -> None:
    made = decoding.command({"prefix_id": "x", "cidr": "10.0.0.0/24"} | fields, NewSubnet)
    with pytest.raises(ValidationError) as refused:
        check_subnet(made)
    assert refused.value.field == field
