"""Targets of records that name no host are refused where they are entered."""

import pytest

from ipam_core.dns.rdata import record_data
from ipam_core.errors import ValidationError

ZONE = "example.net"


@pytest.mark.parametrize("kind", ["CNAME", "DNAME", "NS", "PTR", "MX", "SRV", "HTTPS", "SVCB"])
@pytest.mark.parametrize("address", ["192.0.2.1", "192.0.2.1.", "2001:db8::1"])
def test_an_address_is_no_name(kind: str, address: str) -> None:
    """With a dot behind it BIND would take 192.0.2.1 as a name that never resolves."""
    before = {"MX": "10 ", "SRV": "0 0 80 ", "HTTPS": "1 ", "SVCB": "1 "}.get(kind, "")
    with pytest.raises(ValidationError, match="is an address"):
        record_data(kind, before + address, ZONE)


@pytest.mark.parametrize(
    ("kind", "text", "told"), [("MX", "10 .", "write 0 ."), ("NS", ".", "must be the name of a name server")]
)
def test_the_root_where_it_means_nothing(kind: str, text: str, told: str) -> None:
    with pytest.raises(ValidationError, match=told):
        record_data(kind, text, ZONE)


@pytest.mark.parametrize(
    ("kind", "text", "stored"),
    [
        ("MX", "0 .", "0 ."),
        ("SRV", "0 0 80 .", "0 0 80 ."),
        ("MX", "10 1.2.0.192.in-addr.arpa", "10 1.2.0.192.in-addr.arpa."),
        ("CNAME", "192-0-2-1", "192-0-2-1.example.net."),
        ("NS", "ns1", "ns1.example.net."),
        (
            "NAPTR",
            '1 1 "s" "a  b" "!^.*$!x y!" sip.example.org',
            '1 1 "s" "a  b" "!^.*$!x y!" sip.example.org.',
        ),
        ("NAPTR", '1 1 "" "" "" sip', '1 1 "" "" "" sip.example.net.'),
        ("KX", "1 gate.example.org", "1 gate.example.org."),
        ("AFSDB", "1 cell.example.org", "1 cell.example.org."),
        ("RP", "ann\\.b.example.org text", "ann\\.b.example.org. text.example.net."),
        ("PX", "10 a.example.org b", "10 a.example.org. b.example.net."),
        ("MX", "10 mail.example.org ; spare", "10 mail.example.org."),
        ("CNAME", "a\\;b.example.org;x", "a\\;b.example.org."),
    ],
)
def test_what_is_a_name(kind: str, text: str, stored: str) -> None:
    assert record_data(kind, text, ZONE) == stored


@pytest.mark.parametrize("count", [62, 63, 300])
def test_data_that_fits_into_no_response(count: int) -> None:
    """It would be stored, and no server could answer with it."""
    text = f'"{"x" * 255}" ' * (4 * count)
    if count < 63:
        assert len(record_data("TXT", text, ZONE)) == 4 * count * 258 - 1
    else:
        with pytest.raises(ValidationError, match="64000 fit into a response"):
            record_data("TXT", text, ZONE)
