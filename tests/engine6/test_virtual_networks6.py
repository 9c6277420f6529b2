"""Whose word on virtual networks counts over DHCPv6 (RFC 6607; decisions: Ownership of packets); decided by the engine.

The same /64 is the default tenant's and `blue`'s, with pools at ::100 and ::200.
"""

from __future__ import annotations

from ipaddress import IPv6Address
from typing import Any

import pytest
from engine6.serving6 import duid
from oracle import packets6 as say
from oracle.message6 import Message, parse_reply
from oracle.options4 import Malformed
from oracle.options6 import VSS
from oracle.packets6 import Packet
from unit.plan.test_plan6 import FIELDS, KEY, SERVER_DUID, network, pool

from dhcp_fast.engine.configure import set_server_id
from dhcp_fast.engine.engine import Engine
from dhcp_fast.engine.explain6 import explain6
from dhcp_fast.plan.compile6 import SubnetView6
from dhcp_fast.plan.relays import TrustedRelay
from dhcp_fast.plan.tenant_view import TenantView

DEFAULT, BLUE = 2, 1
NAMES = {DEFAULT: b"default", BLUE: b"blue"}
NETWORK = network(1)
RELAY, INNER, CLIENT = NETWORK[1], NETWORK[2], IPv6Address("fe80::1")
WHOLE = (1 << 128) - 1
NAMED, GLOBAL = b"\0blue", b"\xff"


def engine(relay: dict[str, Any], inner: dict[str, Any] | None = None) -> Engine:
    made = Engine(KEY, 6)
    set_server_id(made, SERVER_DUID)
    entries = [TrustedRelay(int(RELAY), WHOLE, no=1, **relay)]
    if inner is not None:
        entries.append(TrustedRelay(int(INNER), WHOLE, no=2, **inner))
    made.plan.set_relays(entries, DEFAULT, NAMES)
    for tenant, first in ((DEFAULT, 0x100), (BLUE, 0x200)):
        told = {"no": tenant, "first": int(NETWORK[0]), "last": int(NETWORK[-1])}
        told |= {"pools": [pool(tenant, NETWORK[first], NETWORK[first + 15])]}
        made.put_subnet(SubnetView6(TenantView(tenant, []), KEY, FIELDS | told), [], [])
    return made


def ask(made: Engine, packet: Packet, sender: IPv6Address = RELAY) -> dict[str, Any]:
    return explain6(made, packet.bytes(), int(sender))


def solicit() -> Packet:
    return say.solicit(duid(1)).ia_na(1)


def direct(value: bytes = NAMED) -> Packet:
    return solicit().through(RELAY, peer=CLIENT).relay_option(VSS, value)


def nested(peer: IPv6Address = INNER) -> Packet:
    """The inner envelope names the network; the outer relay had it from `peer`."""
    return solicit().through(RELAY, peer=CLIENT).relay_option(VSS, NAMED).through(RELAY, peer=peer)


def by_client() -> Packet:
    return solicit().option(VSS, NAMED).through(RELAY, peer=CLIENT)


CASES: list[tuple[str, dict[str, Any], dict[str, Any] | None, Packet, int, str]] = [
    ("not allowed", {}, None, direct(), DEFAULT, "relay"),
    ("allowed", {"vss": True}, None, direct(), BLUE, "relay_network"),
    ("global", {"vss": True}, None, direct(GLOBAL), DEFAULT, "relay_network"),
    ("bound", {"vss": True, "tenant_no": DEFAULT}, None, direct(), DEFAULT, "relay"),
    ("bound to the other", {"vss": True, "tenant_no": BLUE}, None, direct(GLOBAL), BLUE, "relay"),
    ("a client's envelope", {"vss": True}, None, nested(CLIENT), DEFAULT, "relay"),
    ("an unknown relay's", {"vss": True}, None, nested(), DEFAULT, "relay"),
    ("an inner relay without vss", {"vss": True}, {}, nested(), DEFAULT, "relay"),
    ("an inner relay with vss", {"vss": True}, {"vss": True}, nested(), BLUE, "relay_network"),
    ("an outer relay without vss", {}, {"vss": True}, nested(), DEFAULT, "relay"),
    ("a client's option", {"vss": True}, None, by_client(), DEFAULT, "relay"),
    (
        "a client's option, allowed",
        {"vss": True, "client_vss": True},
        None,
        by_client(),
        BLUE,
        "client_network",
    ),
    (
        "a client's envelope, allowed",
        {"vss": True, "client_vss": True},
        None,
        nested(CLIENT),
        BLUE,
        "client_network",
    ),
    ("client_vss alone", {"client_vss": True}, None, by_client(), DEFAULT, "relay"),
]


@pytest.mark.parametrize(
    ("why", "relay", "inner", "packet", "tenant", "by"), CASES, ids=[row[0] for row in CASES]
)
def test_who_names_the_tenant(
    why: str, relay: dict[str, Any], inner: dict[str, Any] | None, packet: Packet, tenant: int, by: str
) -> None:
    found = ask(engine(relay, inner), packet)
    assert (found["tenant"], found["tenant_by"], found["subnet"]) == (tenant, by, tenant)


def test_the_network_that_was_used_comes_back_where_it_was_named() -> None:
    """RFC 6607 section 7.1."""
    for packet, relay, in_reply, in_envelope in (
        (direct(), {"vss": True}, None, NAMED),
        (direct(), {}, None, None),
        (by_client(), {"vss": True, "client_vss": True}, NAMED, None),
        (by_client(), {"vss": True}, None, None),
    ):
        reply = parse_reply(ask(engine(relay), packet)["reply"])
        assert isinstance(reply, Message)
        assert not isinstance(reply, Malformed)
        assert dict(reply.options).get(VSS) == in_reply
        assert dict(reply.envelopes[0].options).get(VSS) == in_envelope


@pytest.mark.parametrize("network", [b"\0nobody", b"\0blu", b"\0", b"\1\0\0\0\0\0\0\1"])
def test_a_network_that_nobody_has_is_dropped(network: bytes) -> None:
    assert ask(engine({"vss": True}), direct(network))["drop"] == "unknown_network"
    assert ask(engine({}), direct(network))["drop"] is None


def test_a_message_of_another_source_is_dropped() -> None:
    made = engine({"sources": ((int(INNER), WHOLE),)})
    assert ask(made, direct())["drop"] == "untrusted_source"
    assert made.plan.take_senders() == [(1, int(RELAY))]
