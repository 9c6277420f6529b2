"""Answers from the image beside a slow oracle, over generated questions; and the message around them."""

from itertools import product
from random import Random

import dns.edns
import dns.flags
import dns.message
import dns.name
import dns.opcode
import dns.rcode
import dns.rdataclass
import dns.rdatatype
import pytest
from answers import oracle
from answers.images import ZONES, responder
from dns.message import Message

from dhcp_fast.dns.query import Responder

HERE = bytes([192, 0, 2, 10])
KINDS = ("A", "AAAA", "NS", "MX", "TXT", "CNAME", "SOA", "SRV", "DS", "PTR", "TYPE65400", "CAA", "DNAME")
LABELS = (
    "www",
    "a",
    "*",
    "sub",
    "wild",
    "empty",
    "UPPER",
    "x",
    "alias-wild",
    "child",
    "host",
    "still",
    "80",
    "64/26",
    "old",
    "star",
)


def asked(server: Responder, query: Message, udp: bool = True) -> Message:
    data = query.to_wire()
    response = server.answer_unsigned(data, HERE) if udp else server.answer_stream(data, HERE)
    assert response, "no response"
    return dns.message.from_wire(response)


def section(rrsets: list[dns.rrset.RRset]) -> oracle.Section:
    return {oracle.shown(rrset.name, rrset) for rrset in rrsets}


def names() -> list[str]:
    """Every name of the zones, names beside and below them, and some of nobody."""
    known = {str(name) for zone in oracle.load(ZONES).values() for name in zone.nodes} | {
        f"{zone}." for zone in ZONES
    }
    drawn = Random(1)
    built = {
        ".".join(drawn.choices(LABELS, k=drawn.randint(1, 3))) + "." + drawn.choice(sorted(known))
        for _ in range(400)
    }
    return sorted(known | built | {"example.com.", "org.", "."})


def test_every_question_gets_what_the_rfcs_say() -> None:
    server, zones = responder(), oracle.load(ZONES)
    for name, kind in product(names(), KINDS):
        query = dns.message.make_query(name, kind, use_edns=0)
        response = asked(server, query)
        expected = oracle.ask(zones, dns.name.from_text(name), dns.rdatatype.from_text(kind))
        said = oracle.Expected(
            response.rcode(),
            bool(response.flags & dns.flags.AA),
            section(response.answer),
            section(response.authority),
        )
        assert said == expected, (name, kind)
        assert response.question == query.question
        assert not response.flags & (dns.flags.TC | dns.flags.RA)


def test_a_referral_brings_the_addresses_of_its_servers() -> None:
    response = asked(responder(), dns.message.make_query("x.sub.example.org.", "A"))
    assert {str(rrset.name) for rrset in response.additional} == {"ns.sub.example.org.", "ns1.example.org."}
    assert not response.flags & dns.flags.AA


@pytest.mark.parametrize(
    ("name", "kind", "addresses"),
    [
        ("example.org.", "MX", {"mail.example.org."}),
        ("_sip._udp.example.org.", "SRV", {"mail.example.org."}),
        ("example.org.", "NS", {"ns1.example.org."}),
    ],
)
def test_what_an_answer_leads_to_comes_along(name: str, kind: str, addresses: set[str]) -> None:
    response = asked(responder(), dns.message.make_query(name, kind))
    assert {str(rrset.name) for rrset in response.additional} == addresses


def test_any_gets_one_rrset() -> None:
    for name in ("www.example.org.", "example.org.", "alias.example.org."):
        response = asked(responder(), dns.message.make_query(name, "ANY"))
        assert len(response.answer) == 1, name


def test_aliases_that_bite_their_tail_end() -> None:
    zone = "$TTL 60\n@ SOA ns1 h 1 1 1 1 1\n@ NS ns1\na CNAME b\nb CNAME a\nself CNAME self\n"
    chain = "".join(f"c{n} CNAME c{n + 1}\n" for n in range(40))
    server = responder({"example.org": zone + chain})
    assert len(asked(server, dns.message.make_query("a.example.org.", "A")).answer) == 2
    assert len(asked(server, dns.message.make_query("self.example.org.", "A")).answer) == 1
    assert len(asked(server, dns.message.make_query("c0.example.org.", "A", use_edns=0)).answer) == 17


def test_redirections_that_never_end_do() -> None:
    zone = "$TTL 60\n@ SOA ns1 h 1 1 1 1 1\n@ NS ns1\na DNAME b\nb DNAME a\ngrow DNAME grow.grow\nself DNAME self\n"
    server = responder({"example.org": zone})

    def kinds(name: str) -> list[str]:
        found = asked(server, dns.message.make_query(name, "A"), udp=False).answer
        return [dns.rdatatype.to_text(rrset.rdtype) for rrset in found]

    assert kinds("x.a.example.org.") == ["DNAME", "CNAME", "DNAME", "CNAME"]
    assert kinds("x.self.example.org.") == ["DNAME", "CNAME"]
    assert kinds("x.grow.example.org.") == ["DNAME", *["CNAME"] * 17]


def test_a_redirected_name_that_grows_too_long_is_told() -> None:
    """RFC 6672 section 3.2: YXDOMAIN, and the DNAME that is the reason."""
    response = asked(responder(), dns.message.make_query("www.long.example.org.", "A"))
    assert response.rcode() == dns.rcode.YXDOMAIN
    assert [rrset.rdtype for rrset in response.answer] == [dns.rdatatype.DNAME]
    fits = asked(responder(), dns.message.make_query("a.long.example.org.", "A"), udp=False)
    assert fits.rcode() == dns.rcode.NXDOMAIN
    assert len(fits.answer[1][0].target.to_wire()) == 254


def test_a_redirection_without_room_comes_over_tcp() -> None:
    query = dns.message.make_query("a.long.example.org.", "A", use_edns=0, payload=512)
    assert asked(responder(), query).flags & dns.flags.TC
    whole = asked(responder(), query, udp=False)
    assert [rrset.rdtype for rrset in whole.answer] == [dns.rdatatype.DNAME, dns.rdatatype.CNAME]
    assert not whole.flags & dns.flags.TC


def test_the_spelling_of_the_question_is_kept() -> None:
    query = dns.message.make_query("wWw.ExAmPlE.oRg.", "A")
    response = server_octets(query)
    assert response[12 : 12 + 17] == query.to_wire()[12 : 12 + 17]


def server_octets(query: Message, rate: int = 0) -> bytes:
    return responder(rate=rate).answer_unsigned(query.to_wire(), HERE)


def test_what_has_no_room_is_cut_and_comes_over_tcp() -> None:
    many = "".join(f"many A 192.0.2.{n}\n" for n in range(100))  # as many as an RRset may have
    server = responder({"example.org": ZONES["example.org"] + many})
    query = dns.message.make_query("many.example.org.", "A", use_edns=0, payload=4096)
    cut = asked(server, query)
    assert cut.flags & dns.flags.TC
    assert cut.answer == []
    assert len(server.answer_unsigned(query.to_wire(), HERE)) <= 1232
    assert len(asked(server, query, udp=False).answer[0]) == 100


def test_a_signature_has_its_room() -> None:
    some = "".join(f"some A 192.0.2.{n}\n" for n in range(28))
    server = responder({"example.org": ZONES["example.org"] + some})
    data = dns.message.make_query("some.example.org.", "A").to_wire()
    assert len(server.answer_unsigned(data, HERE)) == 482
    cut = server.answer_known(data, HERE, 100)
    assert cut[2] & 2
    assert len(cut) <= 412


def test_addresses_that_a_referral_needs_cut_it() -> None:
    servers = "".join(f"far NS ns{n}.far\nns{n}.far AAAA 2001:db8::{n}\n" for n in range(1, 13))
    server = responder({"example.org": ZONES["example.org"] + servers})
    query = dns.message.make_query("x.far.example.org.", "A")
    cut = asked(server, query)
    assert cut.flags & dns.flags.TC
    assert not asked(server, query, udp=False).flags & dns.flags.TC
    assert len(asked(server, query, udp=False).additional) == 12


def test_edns_is_answered_with_edns() -> None:
    plain = asked(responder(), dns.message.make_query("www.example.org.", "A"))
    assert plain.edns == -1
    query = dns.message.make_query("www.example.org.", "A", use_edns=0, want_dnssec=True)
    response = asked(responder(), query)
    assert (response.edns, response.payload) == (0, 1232)
    assert response.ednsflags & dns.flags.DO
    newer = dns.message.make_query("www.example.org.", "A", use_edns=1)
    refused = asked(responder(), newer)
    assert refused.rcode() == dns.rcode.BADVERS
    assert (refused.edns, refused.answer) == (0, [])


def test_edns_options_that_are_not_offered_change_nothing() -> None:
    """NSID (RFC 5001), EXPIRE (RFC 7314), TCP keepalive (RFC 7828) and a private one are ignored (RFC 6891 section
    6.1.2)."""
    options = [
        dns.edns.GenericOption(code, data) for code, data in ((3, b""), (9, b""), (11, b""), (65001, b"x"))
    ]
    query = dns.message.make_query("www.example.org.", "A", use_edns=0, options=options)
    plain = dns.message.make_query("www.example.org.", "A", use_edns=0)
    for udp in (True, False):
        answer = asked(responder(), query, udp)
        assert (answer.rcode(), answer.options) == (dns.rcode.NOERROR, ())
        assert answer.answer == asked(responder(), plain, udp).answer != []


def test_other_classes_and_opcodes() -> None:
    chaos = dns.message.make_query("version.bind.", "TXT", "CH")
    assert asked(responder(), chaos).rcode() == dns.rcode.REFUSED
    for opcode in (dns.opcode.NOTIFY, dns.opcode.UPDATE, dns.opcode.STATUS):
        query = dns.message.make_query("example.org.", "SOA")
        query.set_opcode(opcode)
        response = server_octets(query)
        assert dns.opcode.from_flags(int.from_bytes(response[2:4], "big")) == opcode
        assert response[3] & 15 == dns.rcode.NOTIMP
    answer = dns.message.make_query("example.org.", "SOA")
    answer.flags |= dns.flags.QR
    assert server_octets(answer) == b""


def test_transfers_over_udp_are_none() -> None:
    refused = asked(responder(), dns.message.make_query("example.org.", "AXFR"))
    assert refused.rcode() == dns.rcode.FORMERR
    latest = asked(responder(), dns.message.make_query("example.org.", "IXFR"))
    assert latest.answer[0][0].serial == 7


OPT = b"\0\0\x29\4\xd0\0\0\0\0\0\0"
HEAD = bytes.fromhex("0001 0000 0001 0000 0000 0000")
QUESTION = b"\3www\7example\3org\0\0\1\0\1"


@pytest.mark.parametrize(
    "data",
    [
        HEAD,
        HEAD + QUESTION[:-1],
        HEAD + QUESTION + b"\0",
        HEAD[:4] + b"\0\2" + HEAD[6:] + QUESTION * 2,
        HEAD[:4] + b"\0\0" + HEAD[6:],
        HEAD + b"\xc0\x0c\0\1\0\1",
        HEAD + b"\x40" + b"a" * 64 + b"\0\0\1\0\1",
        HEAD + (b"\x3f" + b"a" * 63) * 4 + b"\0\0\1\0\1",
        HEAD[:10] + b"\0\2" + QUESTION + OPT * 2,
        HEAD[:6] + b"\0\1" + HEAD[8:] + QUESTION + OPT,
        HEAD[:10] + b"\0\1" + QUESTION + b"\3www" + OPT,
        HEAD[:10] + b"\0\1" + QUESTION + OPT[:-1] + b"\4\0\x0a\0\1",
        HEAD[:10] + b"\0\1" + QUESTION + OPT[:-1] + b"\5\0\x0a\0\1a",
    ],
)
def test_malformed_queries(data: bytes) -> None:
    response = responder().answer_unsigned(data, HERE)
    assert response[:2] == data[:2]
    assert response[3] & 15 == dns.rcode.FORMERR
    assert int.from_bytes(response[6:8], "big") == 0


@pytest.mark.parametrize("size", range(12))
def test_what_has_no_header_gets_nothing(size: int) -> None:
    assert responder().answer_unsigned(HEAD[:size], HERE) == b""
