"""Options in words."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from ipam_core.dhcp.describe import describe


@pytest.mark.parametrize(
    ("family", "code", "wire", "line"),
    [
        (4, 6, "0a0000010a000002", "domain-name-servers (6): 10.0.0.1, 10.0.0.2"),
        (4, 224, "0102", "option-224 (224): 0x0102"),
        (4, 53, "05", "dhcp-message-type (53): DHCPACK (5)"),
        (4, 53, "63", "dhcp-message-type (53): 99"),
        (4, 53, "", "dhcp-message-type (53): 0x (malformed)"),
        (4, 51, "00015180", "dhcp-lease-time (51): 86400"),
        (4, 15, "6578616d706c65", "domain-name (15): example"),
        (4, 67, "1b5b326a", r"boot-file-name (67): \x1b[2j"),
        (4, 6, "0a0000", "domain-name-servers (6): 0x0a0000 (malformed)"),
        (4, 121, "080a0a000001", "classless-static-route (121): 10.0.0.0/8 via 10.0.0.1"),
        (4, 119, "0161 00 0162 c000", "domain-search (119): a, b.a"),
        (4, 82, "0101ff 05040a000001", "dhcp-agent-options (82): 1: 0xff; 5: 10.0.0.1"),
        (4, 125, "00000de9 03 01 01 07", "vivso-suboptions (125): 3561.1: 0x07"),
        (4, 19, "01", "ip-forwarding (19): true"),
        (4, 80, "", "rapid-commit (80): present"),
        (4, 25, "004405dc", "path-mtu-plateau-table (25): 68, 1500"),
        (6, 24, "016100", "domain-search (24): a"),
        (6, 60000, "", "option-60000 (60000): 0x"),
    ],
)
def test_lines(family: int, code: int, wire: str, line: str) -> None:
    assert describe(family, code, bytes.fromhex(wire)) == line


@given(st.sampled_from([4, 6]), st.integers(0, 300), st.binary(max_size=300))
def test_no_octets_break_it_or_the_line(family: int, code: int, data: bytes) -> None:
    assert describe(family, code, data).isprintable()
