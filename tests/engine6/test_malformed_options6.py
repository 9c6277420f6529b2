"""A malformed option of a DHCPv6 client or relay costs neither its answer (decisions: Malformed options).

Decided by the engine itself without socket or database; 2001:db8:0:1::/64 is on interface 7.
"""

from __future__ import annotations

from typing import Any

import pytest
from engine6.test_direct_clients6 import CLIENT, NEAR, ON_LINK, engine, network, read
from oracle.options6 import IA_NA
from unit.plan.test_plan6 import SERVER_DUID
from wire import octets6 as say
from wire.octets6 import message, option, u16, u32
from wire.test_malformed6 import LAYOUTS

from dhcp_fast.engine.engine import Engine
from dhcp_fast.engine.explain6 import explain6
from dhcp_fast.engine.notices import noticed

__all__ = ["engine"]

SOLICIT, REQUEST, RENEW, REBIND, RELEASE, INFORMATION_REQUEST = 1, 3, 5, 6, 8, 11
ME = option(1, CLIENT)
LINK = str(network(NEAR)[1])
GROUP = "ff02::1:2"


def found_of(engine: Engine, data: bytes, port: int = 546) -> dict[str, Any]:
    found: dict[str, Any] = explain6(engine, data, ON_LINK, port, 7, int.from_bytes(say.ip(GROUP)))
    return found


def leases(engine: Engine, data: bytes) -> dict[tuple[int, int], int]:
    """How many leases the answer has, by type and IAID of the association."""
    reply = read(found_of(engine, data))
    assert reply.client_id == CLIENT
    return {(ia.code, ia.iaid): len(ia.leases) for ia in reply.associations}


CASES = [(code, bad) for code, (values, _) in LAYOUTS.items() for bad in values]


@pytest.mark.parametrize(("code", "bad"), CASES)
@pytest.mark.parametrize("relayed", [False, True])
def test_a_client_is_advertised_an_address_all_the_same(
    code: int, bad: bytes, relayed: bool, engine: Engine
) -> None:
    data = message(SOLICIT, ME, option(code, bad), say.ia_na(1))
    assert leases(engine, say.relay_forw(data, link=LINK) if relayed else data) == {(IA_NA, 1): 1}
    assert engine.counters()["ignored_options"] == {str(code): 1}
    assert noticed(engine)["options_ignored"] == 1
    assert engine.counters()["drops"] == {}


@pytest.mark.parametrize(
    ("ia", "code"),
    [
        (say.ia_pd(2, say.iaprefix("::", 129)), 26),
        (say.ia_pd(2, option(26, bytes(24))), 26),
        (say.ia_na(1, option(5, bytes(23))), 5),
        (say.ia_na(1, b"\0\5\0\x18" + bytes(20)), 3),
        (option(3, bytes(11)), 3),
        (option(25, b""), 25),
        (option(4, bytes(3)), 4),
    ],
)
def test_a_malformed_association_leaves_the_others(ia: bytes, code: int, engine: Engine) -> None:
    told = leases(engine, message(SOLICIT, ME, ia, say.ia_na(9)))
    assert told[IA_NA, 9] == 1
    assert engine.counters()["ignored_options"] == {str(code): 1}


def test_a_repeated_association_is_answered_once(engine: Engine) -> None:
    """And the message is not dropped."""
    told = leases(engine, message(SOLICIT, ME, say.ia_na(1), say.ia_na(2), say.ia_na(1)))
    assert told == {(IA_NA, 1): 1, (IA_NA, 2): 1}
    assert engine.counters()["ignored_options"] == {"3": 1}


@pytest.mark.parametrize("rest", [b"\0", b"\0\6\0", b"\0\6\0\4\0\x17", b"\0\x27\xff\xff\0"])
def test_a_message_that_is_cut(rest: bytes, engine: Engine) -> None:
    assert leases(engine, message(SOLICIT, ME, say.ia_na(1)) + rest) == {(IA_NA, 1): 1}


@pytest.mark.parametrize(
    ("duid", "drop"), [(b"", "bad_duid"), (b"\0\1", "bad_duid"), (bytes(131), "bad_duid")]
)
@pytest.mark.parametrize("kind", [SOLICIT, REBIND, INFORMATION_REQUEST])
def test_a_malformed_client_id_is_dropped_and_counted(
    kind: int, duid: bytes, drop: str, engine: Engine
) -> None:
    assert found_of(engine, message(kind, option(1, duid), option(6, b"\0")))["drop"] == drop
    assert engine.counters()["drops"] == {drop: 1}
    assert engine.counters()["ignored_options"] == {}


@pytest.mark.parametrize("kind", [REQUEST, RENEW, RELEASE])
def test_a_message_to_a_server_that_cannot_be_read(kind: int, engine: Engine) -> None:
    data = message(kind, ME, option(2, b"\0"), say.ia_na(1))
    assert found_of(engine, data)["drop"] == "no_server_id"


def test_a_malformed_server_id_beside_ours(engine: Engine) -> None:
    ours = option(2, SERVER_DUID)
    assert leases(engine, message(REQUEST, ME, option(2), ours, ours, say.ia_na(1)))[IA_NA, 1] == 1


RELAY_OPTIONS = [
    (option(37, b"\0\0\0"), 37),
    (option(79, b"\0"), 79),
    (option(135, b"\1"), 135),
    (option(53, b"\0\1"), 53),
    (option(43, b"\0"), 43),
    (option(66, b"\0\x41\0\5x"), 66),
    (option(68), 68),
]


@pytest.mark.parametrize(("bad", "code"), RELAY_OPTIONS)
@pytest.mark.parametrize("outer", [False, True])
def test_a_malformed_option_of_a_relay(bad: bytes, code: int, outer: bool, engine: Engine) -> None:
    """Its interface-id comes back all the same, and the reply goes to the servers' port."""
    inner = say.relay_forw(message(SOLICIT, ME, say.ia_na(1)), option(18, b"e1"), bad, link=LINK)
    data = say.relay_forw(inner, bad, option(18, b"e2"), hops=1) if outer else inner
    found = found_of(engine, data, port=40000)
    reply = read(found)
    assert [envelope.interface_id for envelope in reply.envelopes] == ([b"e2"] if outer else []) + [b"e1"]
    assert found["port"] == 547
    assert engine.counters()["ignored_options"] == {str(code): 1}


def test_relays_and_clients_options_count_in_one_place(engine: Engine) -> None:
    inner = message(SOLICIT, ME, say.ia_na(1), option(6, b"\0"), option(16, b"\0"))
    data = say.relay_forw(inner, option(37, b"\0"), link=LINK) + b"\0\x12\0\x20x"
    assert found_of(engine, data)["drop"] is None
    assert engine.counters()["ignored_options"] == {"6": 1, "16": 1, "18": 1, "37": 1}


def test_of_two_vendor_classes_the_well_formed_one_counts(engine: Engine) -> None:
    """Also where both are of one enterprise (see wire/test_malformed6.py); the answer is the same without either."""
    bad, good = option(16, u32(9) + u16(9) + b"x"), option(16, u32(9) + u16(1) + b"x")
    assert leases(engine, message(SOLICIT, ME, bad, good, say.ia_na(1))) == {(IA_NA, 1): 1}
