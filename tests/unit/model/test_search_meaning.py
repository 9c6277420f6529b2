"""A leading part means the addresses whose usual spelling begins with it."""

from ipaddress import IPv4Address, ip_address

from hypothesis import example, given
from hypothesis import strategies as st

from ipam_core.model.search import leading_ranges, read_search


def in_ranges(address: object, text: str) -> bool:
    return any(
        first.version == address.version and first <= address <= last  # type: ignore[attr-defined,operator]
        for first, last in leading_ranges(text)
    )


@given(st.ip_addresses(v=4), st.integers(1, 14))
@example(ip_address("10.0.0.1"), 4)
@example(ip_address("255.255.255.255"), 14)
def test_every_address_is_in_the_ranges_of_its_beginnings(address: IPv4Address, length: int) -> None:
    text = str(address)[:length]
    if text.count(".") < 3:
        assert in_ranges(address, text)


@given(st.ip_addresses(v=4), st.ip_addresses(v=4), st.integers(1, 11))
def test_no_range_holds_an_address_that_begins_otherwise(
    address: IPv4Address, other: IPv4Address, length: int
) -> None:
    text = str(other)[:length]
    if text.count(".") < 3 and in_ranges(address, text):
        assert str(address).startswith(text.rstrip("."))


def test_an_unfinished_group_stands_for_all_that_it_can_become() -> None:
    assert [(str(a), str(b)) for a, b in leading_ranges("10.1")] == [
        ("10.1.0.0", "10.1.255.255"),
        ("10.10.0.0", "10.19.255.255"),
        ("10.100.0.0", "10.199.255.255"),
    ]
    assert [(str(a), str(b)) for a, b in leading_ranges("10.25.")] == [("10.25.0.0", "10.25.255.255")]
    assert [(str(a), str(b)) for a, b in leading_ranges("30")] == [("30.0.0.0", "30.255.255.255")]


def test_groups_of_ipv6_are_hexadecimal() -> None:
    spans = [(str(a), str(b)) for a, b in leading_ranges("2001:db8:")]
    assert spans == [("2001:db8::", "2001:db8:ffff:ffff:ffff:ffff:ffff:ffff")]
    assert in_ranges(ip_address("2001:db8:1a::5"), "2001:db8:1")
    assert not in_ranges(ip_address("2001:db8:2::5"), "2001:db8:1")


def test_one_text_may_mean_several_things() -> None:
    meant = read_search("AABB.CCDD.EEFF")
    assert meant.mac == "aa:bb:cc:dd:ee:ff"
    assert meant.name == "aabb.ccdd.eeff"
    assert read_search("10.0.0.0/8").network is not None
    assert read_search("300.1").ranges == []
    assert read_search("web-").name == "web-"
