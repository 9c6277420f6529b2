"""Names that clients and operators get: decisions, Client names in DNS."""

from ipaddress import ip_address
from typing import Any

import pytest

from ipam_core.dns.dhcid import MOST_DUID, OPERATOR
from ipam_core.dns.host_names import EMPTY, UNMADE, Wanted, Zone, lacks_domain, wanted, wanted_aliases
from ipam_core.host_labels import host_label

DOMAIN = "dyn.test"
ZONES = (Zone(DOMAIN, None, None), Zone("20.10.in-addr.arpa", None, None), Zone("other.test", None, None))
IP = ip_address("10.20.1.5")


def row(name: str | None, **more: Any) -> dict[str, Any]:
    """An address as ddns.sql's `addresses` has it, of a lease."""
    fields: dict[str, Any] = {
        "source": "lease",
        "subnet_no": 1,
        "hostname": name,
        "aliases": [],
        "alias_records": None,
        "ddns_enabled": True,
        "ddns_adapter": "embedded",
        "ddns_forward_zone": None,
        "ddns_reverse_zone": None,
        "ddns_domain": DOMAIN,
        "ddns_client_domains": [],
        "ddns_ttl": None,
        "ddns_replace_client_name": "never",
        "ddns_generated_prefix": "host",
        "ddns_conflict_mode": "check_dhcid",
        "ddns_override_no_update": False,
        "ddns_override_client_update": False,
        "lease_time_seconds": 3600,
        "fqdn_flags": 0,
        "dns_server_no": None,
        "server_adapter": None,
        "hw_type": 1,
        "hw_address": bytes(6),
        "client_id": None,
        "duid": None,
    }
    return fields | more


def found(name: str | None, **more: Any) -> Wanted | None:
    return wanted(row(name, **more), IP, ZONES)


def name_of(name: str | None, **more: Any) -> str | None:
    shall = found(name, **more)
    return None if shall is None else shall.fqdn


@pytest.mark.parametrize(
    ("sent", "expected"),
    [
        ("laptop", "laptop.dyn.test"),
        ("LapTop", "laptop.dyn.test"),
        ("vpn.other.test", "vpn.dyn.test"),
        ("other.test", "other.dyn.test"),
        ("dyn.test", "dyn.dyn.test"),
        ("a.b.c.other.test.", "a.dyn.test"),
        ("android-1.local", "android-1.dyn.test"),
        ("under_score", "under-score.dyn.test"),
        ("Anna's iPhone", "anna-s-iphone.dyn.test"),
        ("-dash-", "dash.dyn.test"),
        ("_._", None),
        ("10.1.2.3", "10.dyn.test"),
        ("-", None),
        ("---.x", None),
        (".", None),
        ("...", None),
        (".host", None),
        ("", None),
        (None, None),
        ("*", None),
        ("@", None),
        ("büro", "b-ro.dyn.test"),
        ("\u212a", None),
        ("a" * 63, "a" * 63 + ".dyn.test"),
        ("a" * 64, None),
        ("-" + "a" * 63, "a" * 63 + ".dyn.test"),
        ("x\\.y", "x.dyn.test"),
        ("wpad", None),
        ("WPAD", None),
        ("wpad.evil.test", None),
        ("_wpad", None),
        ("isatap", None),
        ("localhost.localdomain", None),
        ("wpad2", "wpad2.dyn.test"),
    ],
)
def test_a_client_has_one_label_below_the_domain(sent: str | None, expected: str | None) -> None:
    assert name_of(sent) == expected


def test_a_listed_domain_is_the_clients_to_choose() -> None:
    listed: dict[str, Any] = {"ddns_client_domains": ["Other.test."]}
    assert name_of("vpn.OTHER.test.", **listed) == "vpn.other.test"
    assert name_of("vpn.sub.other.test", **listed) == "vpn.dyn.test"
    assert name_of("wpad.other.test", **listed) is None
    assert name_of("my_vpn.other.test", **listed) == "my-vpn.other.test"
    assert name_of("vpn.other.test", **listed, ddns_domain=None) == "vpn.other.test"


def test_the_domain_is_the_forward_zone_where_there_is_none() -> None:
    assert name_of("laptop", ddns_domain=None, ddns_forward_zone="Other.Test.") == "laptop.other.test"
    shall = found("laptop", ddns_domain=None, ddns_forward_zone="Other.Test.")
    assert shall is not None
    assert shall.forward_zone == "other.test"
    assert name_of("laptop", ddns_domain=None) is None
    assert name_of("laptop.other.test", ddns_domain=None) is None


def test_a_subnet_without_a_domain_is_told_of_where_somebody_lacks_a_name() -> None:
    bare: dict[str, Any] = {"ddns_domain": None}
    assert lacks_domain(row("laptop", **bare))
    assert lacks_domain(row("srv", source="assignment", **bare))
    assert not lacks_domain(row("srv.other.test", source="assignment", **bare))
    assert not lacks_domain(row(None, **bare))
    assert not lacks_domain(row("laptop"))
    assert not lacks_domain(row("laptop", ddns_enabled=False, **bare))
    assert not lacks_domain(row("vpn.other.test", ddns_client_domains=["other.test"], **bare))


@pytest.mark.parametrize("source", ["assignment", "reservation"])
def test_an_operator_chooses_any_name(source: str) -> None:
    assert name_of("vpn.other.test", source=source) == "vpn.other.test"
    assert name_of("a.b.other.test", source=source) == "a.b.other.test"
    assert name_of("wpad", source=source) == "wpad.dyn.test"
    assert name_of("_sip", source=source) == "_sip.dyn.test"


def test_a_name_is_made_where_the_client_has_no_usable_one() -> None:
    makes: dict[str, Any] = {"ddns_replace_client_name": "when_not_present"}
    for sent in (None, "-", "wpad", "a" * 64):
        assert name_of(sent, **makes) == "host-10-20-1-5.dyn.test", sent
    assert name_of("laptop", **makes) == "laptop.dyn.test"
    assert name_of(None, **makes, ddns_generated_prefix="My_Net.x") == "my-net-x-10-20-1-5.dyn.test"


@pytest.mark.parametrize(
    ("sent", "flags", "replaces", "expected"),
    [
        (None, 5 | EMPTY | UNMADE, "never", "host-10-20-1-5.dyn.test"),
        ("option12", 5 | EMPTY | UNMADE, "never", "host-10-20-1-5.dyn.test"),
        ("laptop", 5 | UNMADE, "never", "laptop.dyn.test"),
        ("laptop.old.test", 5 | UNMADE, "always", "host-10-20-1-5.dyn.test"),
        ("wpad", 5 | UNMADE, "never", None),
        ("wpad", 5 | UNMADE, "when_not_present", "host-10-20-1-5.dyn.test"),
        (None, 5, "never", None),  # the server made nothing of it
        ("laptop.dyn.test", 5, "always", "laptop.dyn.test"),
    ],
)
def test_a_name_from_before_the_subnet_updated_dns_is_made_now(
    sent: str | None, flags: int, replaces: str, expected: str | None
) -> None:
    """The lease was granted by a server whose subnet did not update DNS; its client may not return for days."""
    assert name_of(sent, fqdn_flags=flags, ddns_replace_client_name=replaces) == expected


@pytest.mark.parametrize(
    ("fields", "forward", "reverse"),
    [
        ({}, DOMAIN, "20.10.in-addr.arpa"),
        ({"fqdn_flags": 4}, None, "20.10.in-addr.arpa"),
        ({"ddns_forward_zone": "other.test"}, None, "20.10.in-addr.arpa"),
        ({"source": "assignment", "hostname": "srv.foreign.example"}, None, None),
        ({"source": "assignment", "hostname": "srv.other.test"}, "other.test", "20.10.in-addr.arpa"),
    ],
)
def test_a_pointer_has_a_name_of_ours(
    fields: dict[str, Any], forward: str | None, reverse: str | None
) -> None:
    shall = wanted(row("laptop") | fields, IP, ZONES)
    assert (shall and shall.forward_zone, shall and shall.reverse_zone) == (forward, reverse)


def test_no_client_can_have_the_operators_identity() -> None:
    assert len(OPERATOR.octets) > MOST_DUID


@pytest.mark.parametrize("text", ["a", "A-b", "9", "x" * 63])
def test_a_label_that_is_one_stays(text: str) -> None:
    assert host_label(text) == text.lower()


@pytest.mark.parametrize(
    ("alias", "expected"),
    [
        ("www", ("www.dyn.test", "dyn.test")),
        ("www.deep", None),
        ("shop.other.test", ("shop.other.test", "other.test")),
        ("www.foreign.example", None),
        ("srv", None),
        ("srv.dyn.test", None),
        ("x" * 63 + ("." + "y" * 61) * 3 + ".dyn.test", None),
    ],
)
def test_an_alias_lies_in_a_zone_of_the_tenant(alias: str, expected: tuple[str, str] | None) -> None:
    about = row("srv", source="assignment", aliases=[alias], alias_records="cname")
    found = [(each.fqdn, each.forward_zone) for each in wanted_aliases(about, IP, ZONES)]
    assert found == ([] if expected is None else [expected])
    assert {each.target for each in wanted_aliases(about, IP, ZONES)} <= {"srv.dyn.test"}


def test_aliases_need_a_domain_too() -> None:
    nowhere = {"ddns_domain": None, "source": "assignment", "alias_records": "cname"}
    assert lacks_domain(row("srv.dyn.test", aliases=["www"], **nowhere))
    assert not lacks_domain(row("srv.dyn.test", aliases=["www.dyn.test"], **nowhere))
