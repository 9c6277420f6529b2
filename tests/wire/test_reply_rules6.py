"""The judge of DHCPv6 answers: lawful answers pass, and each rule is broken once, alone."""

from __future__ import annotations

from ipaddress import IPv6Address

import pytest
from oracle import packets6 as say
from oracle.message6 import ADVERTISE, RELAY_REPL, REPLY, Envelope, build, enclose
from oracle.options4 import Pair
from oracle.options6 import (
    IA_NA,
    IA_PD,
    IA_TA,
    IdentityAssociation,
    Lease,
    Status,
    encode_ia,
    encode_lease,
    encode_status,
)
from oracle.packets6 import Packet
from oracle.replies6 import check_reply6

DUID, SERVER = say.duid_ll("02:00:00:00:00:01"), say.duid_ll("02:00:00:00:00:99")
IDENTITY: tuple[Pair, ...] = ((2, SERVER), (1, DUID))
ADDRESS = Lease(IPv6Address("2001:db8::5"), 128, 100, 200)
SUCCESS: Pair = (13, encode_status(Status(0)))


def association(code: int, iaid: int, *leases: Lease, status: int = 0, t1: int = 50, t2: int = 80) -> Pair:
    options = ((13, encode_status(Status(status))),) if status else ()
    return code, encode_ia(IdentityAssociation(code, iaid, t1, t2, leases, options))


HELD = association(IA_NA, 1, ADDRESS)
GRANTED = (*IDENTITY, HELD)
SOLICIT = say.solicit(DUID).ia_na(1)
REQUEST = say.request(DUID, SERVER).ia_na(1, "2001:db8::5")
RELEASE = say.release(DUID, SERVER).ia_na(1, "2001:db8::5")
CONFIRM = say.confirm(DUID).ia_na(1, "2001:db8::5")
REGISTER = say.register(DUID, "2001:db8::7")


def said(asked: Packet, kind: int, *options: Pair) -> list[str]:
    return check_reply6(asked.bytes(), build(kind, asked.transaction_id, options), SERVER)


@pytest.mark.parametrize(
    ("asked", "kind", "options"),
    [
        (SOLICIT, ADVERTISE, GRANTED),
        (SOLICIT, ADVERTISE, (*IDENTITY, association(IA_NA, 1, status=2))),
        (SOLICIT.rapid_commit(), ADVERTISE, GRANTED),
        (SOLICIT.rapid_commit(), REPLY, (*GRANTED, (14, b""))),
        (SOLICIT.ia_pd(1), ADVERTISE, (*GRANTED, association(IA_PD, 1, status=6, t1=0, t2=0))),
        (SOLICIT.ia_ta(9), ADVERTISE, GRANTED),
        (SOLICIT.ia_ta(9), ADVERTISE, (*GRANTED, association(IA_TA, 9, status=2))),
        (REQUEST, REPLY, GRANTED),
        (REQUEST, REPLY, (*IDENTITY, association(IA_NA, 1, status=4))),
        (say.renew(DUID, SERVER).ia_na(1), REPLY, (*IDENTITY, association(IA_NA, 1, status=3))),
        (
            say.rebind(DUID).ia_na(1, "2001:db8::5"),
            REPLY,
            (*IDENTITY, association(IA_NA, 1, Lease(ADDRESS.address, 128, 0, 0))),
        ),
        (RELEASE, REPLY, (*IDENTITY, SUCCESS)),
        (RELEASE, REPLY, (*IDENTITY, SUCCESS, association(IA_NA, 1, status=3, t1=0, t2=0))),
        (CONFIRM, REPLY, (*IDENTITY, (13, encode_status(Status(4))))),
        (say.information_request(), REPLY, ((2, SERVER), (23, bytes(16)))),
        (REGISTER, 37, (*IDENTITY, REGISTER.options[-1])),
        (SOLICIT.fqdn("a.", 0).asking(39), ADVERTISE, (*GRANTED, (39, b"\0\1a\0"))),
    ],
)
def test_a_lawful_answer_passes(asked: Packet, kind: int, options: tuple[Pair, ...]) -> None:
    assert said(asked, kind, *options) == []


@pytest.mark.parametrize(
    ("asked", "kind", "options", "rule"),
    [
        (SOLICIT, REPLY, (*GRANTED, (14, b"")), "rapid_commit"),
        (SOLICIT.rapid_commit(), REPLY, GRANTED, "rapid_commit"),
        (REQUEST, REPLY, (*GRANTED, (14, b"")), "rapid_commit"),
        (REQUEST, ADVERTISE, GRANTED, "kind"),
        (SOLICIT, ADVERTISE, ((1, DUID), HELD), "server_id"),
        (SOLICIT, ADVERTISE, ((2, DUID), (1, DUID), HELD), "server_id"),
        (SOLICIT, ADVERTISE, ((2, SERVER), HELD), "client_id"),
        (say.information_request(), REPLY, IDENTITY, "client_id"),
        *(
            (SOLICIT, ADVERTISE, (*GRANTED, pair), "must_not")
            for pair in ((6, b""), (8, b"\0\0"), (18, b"x"))
        ),
        (SOLICIT, ADVERTISE, (*GRANTED, (12, bytes(16))), "must_not"),
        (SOLICIT, ADVERTISE, (*GRANTED, (5, encode_lease(ADDRESS, IA_NA))), "must_not"),
        (SOLICIT, ADVERTISE, (*GRANTED, (23, bytes(16)), (23, bytes(16))), "repeated"),
        (SOLICIT, ADVERTISE, (*GRANTED, (39, b"\0")), "unsolicited"),
        (CONFIRM, REPLY, IDENTITY, "status"),
        (CONFIRM, REPLY, (*IDENTITY, SUCCESS, HELD), "associations"),
        (RELEASE, REPLY, IDENTITY, "status"),
        (RELEASE, REPLY, (*IDENTITY, (13, encode_status(Status(3)))), "status"),
        (RELEASE, REPLY, (*IDENTITY, SUCCESS, HELD), "given_back"),
        (REQUEST, REPLY, (*GRANTED, (13, encode_status(Status(5)))), "status"),
        (REQUEST, REPLY, (*IDENTITY, association(IA_NA, 1, status=3)), "status"),
        (REQUEST, REPLY, (*IDENTITY, association(IA_NA, 1, ADDRESS, status=2)), "granted"),
        (REQUEST, REPLY, (*IDENTITY, association(IA_NA, 1)), "granted"),
        (REQUEST, REPLY, IDENTITY, "associations"),
        (REQUEST, REPLY, (*GRANTED, association(IA_NA, 2, ADDRESS)), "associations"),
        (REQUEST, REPLY, (*IDENTITY, association(IA_NA, 1, ADDRESS, ADDRESS)), "twice"),
        (REQUEST.ia_na(2), REPLY, (*GRANTED, association(IA_NA, 2, ADDRESS)), "twice"),
        (SOLICIT.ia_ta(9), ADVERTISE, (*GRANTED, association(IA_TA, 9, ADDRESS)), "temporary"),
        (REQUEST, REPLY, (*IDENTITY, association(IA_NA, 1, ADDRESS, t1=90)), "times"),
        (
            REQUEST.ia_pd(1),
            REPLY,
            (*GRANTED, association(IA_PD, 1, Lease(ADDRESS.address, 56, 1, 2), t1=51)),
            "times",
        ),
        (REQUEST, REPLY, (*IDENTITY, association(IA_NA, 1, Lease(ADDRESS.address, 128, 9, 8))), "lifetimes"),
        (REGISTER, 37, (*IDENTITY, (5, encode_lease(ADDRESS, IA_NA))), "registration"),
        (REGISTER, REPLY, (*IDENTITY, REGISTER.options[-1]), "kind"),
        (REQUEST, REPLY, (*GRANTED, (13, b"\0")), "malformed"),
        (REQUEST.server_id(DUID), REPLY, GRANTED, "unanswerable"),
    ],
)
def test_each_rule_is_broken(asked: Packet, kind: int, options: tuple[Pair, ...], rule: str) -> None:
    assert rule in {sentence.partition(":")[0] for sentence in said(asked, kind, *options)}


def test_another_transactions_answer_is_none() -> None:
    data = build(ADVERTISE, SOLICIT.transaction_id ^ 1, GRANTED)
    assert [s.partition(":")[0] for s in check_reply6(SOLICIT.bytes(), data, SERVER)] == ["transaction_id"]


RELAYED = SOLICIT.through("2001:db8::1").at_interface("ge-1").through("::").relay_port(0)
INNER, OUTER = RELAYED.envelopes


@pytest.mark.parametrize(
    ("around", "rule"),
    [
        ((INNER, OUTER), None),
        ((INNER,), "envelopes"),
        ((), "envelopes"),
        ((OUTER, INNER), "envelopes"),
        ((Envelope(0, INNER.link_address, INNER.peer_address, ()), OUTER), "echoed"),
        ((INNER, Envelope(1, OUTER.link_address, OUTER.peer_address, ())), "echoed"),
        ((Envelope(5, INNER.link_address, INNER.peer_address, INNER.options), OUTER), "envelopes"),
        ((INNER, Envelope(1, OUTER.link_address, IPv6Address("::9"), OUTER.options)), "envelopes"),
    ],
)
def test_an_answer_goes_back_through_its_relays(around: tuple[Envelope, ...], rule: str | None) -> None:
    data = build(ADVERTISE, RELAYED.transaction_id, GRANTED)
    for envelope in around:
        data = enclose(data, envelope, RELAY_REPL)
    broken = {sentence.partition(":")[0] for sentence in check_reply6(RELAYED.bytes(), data, SERVER)}
    assert (rule in broken) if rule else not broken
