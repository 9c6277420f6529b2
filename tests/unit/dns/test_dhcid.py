"""DHCID records: the examples of RFC 4701 section 3.6, and which identity of a lease they are made of."""

import pytest

from ipam_core.dns.dhcid import CLIENT_ID, DUID, HARDWARE, Identity, as_text, dhcid, identities


@pytest.mark.parametrize(
    ("kind", "octets", "name", "record"),
    [
        (
            DUID,
            "00010006412df166010203040506",
            "chi6.example.com",
            "AAIBY2/AuCccgoJbsaxcQc9TUapptP69lOjxfNuVAA2kjEA=",
        ),
        (
            CLIENT_ID,
            "010708090a0b0c",
            "CHI.Example.COM.",
            "AAEBOSD+XR3Os/0LozeXVqcNc7FwCfQdWL3b/NaiUDlW2No=",
        ),
        (
            HARDWARE,
            "01010203040506",
            "client.example.com",
            "AAABxLmlskllE0MVjd57zHcWmEH3pCQ6VytcKD//7es/deY=",
        ),
    ],
)
def test_the_examples_of_the_rfc(kind: int, octets: str, name: str, record: str) -> None:
    assert as_text(dhcid(Identity(kind, bytes.fromhex(octets)), name)) == record


def test_a_duid_goes_before_a_client_id_before_hardware() -> None:
    mac, duid = bytes.fromhex("020000000001"), bytes.fromhex("00030001020000000001")
    hardware = Identity(HARDWARE, b"\1" + mac)
    assert identities(1, mac, None, duid) == [Identity(DUID, duid), hardware]
    assert identities(1, mac, b"\xff" + bytes(4) + duid, None) == [Identity(DUID, duid), hardware]
    assert identities(1, mac, b"\1" + mac, None) == [Identity(CLIENT_ID, b"\1" + mac), hardware]
    assert identities(1, bytes(6), None, None) == []
