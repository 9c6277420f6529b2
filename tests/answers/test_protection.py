"""Cookies that every server knows, and the limit of what a network gets."""

import struct
import time
from collections import Counter
from ipaddress import ip_address

import dns.edns
import dns.flags
import dns.message
import pytest
from answers.images import SECRET, responder
from answers.test_answers import HEAD, HERE
from dns.message import Message

from dhcp_fast.dns.query import Responder

CLIENT_COOKIE = bytes.fromhex("2464c4abcf10c957")
THERE = bytes([198, 51, 100, 7])


def cookie_of(response: bytes) -> bytes:
    message = dns.message.from_wire(response)
    (found,) = [option for option in message.options if option.otype == dns.edns.COOKIE]
    return found.to_wire() or b""


def question(cookie: bytes) -> Message:
    options = [dns.edns.GenericOption(dns.edns.COOKIE, cookie)]
    return dns.message.make_query("www.example.org.", "A", use_edns=0, options=options)


def ask(server: Responder, cookie: bytes, address: bytes = HERE) -> bytes:
    return server.answer_unsigned(question(cookie).to_wire(), address)


def siphash24(key: bytes, data: bytes) -> bytes:
    """As its authors describe it (Aumasson and Bernstein, 2012, section 2)."""
    mask = (1 << 64) - 1
    k0, k1 = struct.unpack("<2Q", key)
    v = [k0 ^ 0x736F6D6570736575, k1 ^ 0x646F72616E646F6D, k0 ^ 0x6C7967656E657261, k1 ^ 0x7465646279746573]

    def left(x: int, bits: int) -> int:
        return (x << bits | x >> (64 - bits)) & mask

    def rounds(count: int) -> None:
        for _ in range(count):
            v[0], v[2] = (v[0] + v[1]) & mask, (v[2] + v[3]) & mask
            v[1], v[3] = left(v[1], 13) ^ v[0], left(v[3], 16) ^ v[2]
            v[0], v[2] = (left(v[0], 32) + v[3]) & mask, (v[2] + v[1]) & mask
            v[3], v[1] = left(v[3], 21) ^ v[0], left(v[1], 17) ^ v[2]
            v[2] = left(v[2], 32)

    padded = data + bytes(7 - len(data) % 8) + bytes([len(data) & 255])
    for (word,) in struct.iter_unpack("<Q", padded):
        v[3] ^= word
        rounds(2)
        v[0] ^= word
    v[2] ^= 255
    rounds(4)
    return struct.pack("<Q", v[0] ^ v[1] ^ v[2] ^ v[3])


def test_the_hash_is_siphash24() -> None:
    """The vector of its authors' paper, appendix A."""
    assert siphash24(bytes(range(16)), bytes(range(15))) == bytes.fromhex("e545be4961ca29a1")


def test_the_cookie_is_that_of_rfc_9018() -> None:
    """Its example of section A.1, by the reference that the server's own cookie is then compared with."""
    key, address = bytes.fromhex("e5e973e5a6b2a43f48e7dc849e37bfcf"), ip_address("198.51.100.100").packed
    head = bytes.fromhex("010000005cf79f11")
    assert siphash24(key, CLIENT_COOKIE + head + address) == bytes.fromhex("1f8130c3eee29480")


@pytest.mark.parametrize("address", [HERE, ip_address("2001:db8::7").packed])
def test_servers_make_the_same_cookies(address: bytes) -> None:
    made = cookie_of(ask(responder(), CLIENT_COOKIE, address))
    assert made[:8] == CLIENT_COOKIE
    assert made[8:12] == b"\1\0\0\0"
    assert abs(int.from_bytes(made[12:16], "big") - time.time()) < 60
    assert made[16:] == siphash24(SECRET, made[:16] + address)


def known(cookie: bytes, address: bytes = HERE) -> bool:
    server = responder()
    ask(server, cookie, address)
    return server.counters()["cookies"] == 1


def made_at(when: float, address: bytes = HERE) -> bytes:
    head = CLIENT_COOKIE + b"\1\0\0\0" + int(when).to_bytes(4, "big")
    return head + siphash24(SECRET, head + address)


def test_which_cookies_are_ours() -> None:
    now = time.time()
    assert known(made_at(now))
    assert known(made_at(now - 3500))
    assert known(made_at(now + 200))
    assert not known(made_at(now - 3700))
    assert not known(made_at(now + 400))
    assert not known(made_at(now), THERE)
    cookie = made_at(now)
    assert not known(cookie[:-1] + bytes([cookie[-1] ^ 1]))
    assert not known(CLIENT_COOKIE)
    assert not known(made_at(now) + b"more")


def test_a_cookie_may_come_without_a_question() -> None:
    """RFC 7873 section 5.4."""
    option = b"\0\x0a\0\x08" + CLIENT_COOKIE
    opt = b"\0\0\x29\4\xd0\0\0\0\0" + len(option).to_bytes(2, "big") + option
    response = responder().answer_unsigned(HEAD[:4] + bytes(6) + b"\0\1" + opt, HERE)
    assert response[3] & 15 == 0
    assert cookie_of(response)[:8] == CLIENT_COOKIE


def outcomes(server: Responder, count: int, address: bytes, cookie: bytes = b"") -> Counter[str]:
    data = (question(cookie) if cookie else dns.message.make_query("www.example.org.", "A")).to_wire()
    found: Counter[str] = Counter()
    for _ in range(count):
        response = server.answer_unsigned(data, address)
        cut = bool(response) and bool(response[2] & 2)
        found["cut" if cut else "answered" if response else "silence"] += 1
    return found


def test_a_network_gets_so_many_responses() -> None:
    server = responder(rate=10)
    found = outcomes(server, 100, HERE)
    assert 20 <= found["answered"] <= 24
    assert abs(found["cut"] - found["silence"]) <= 1
    neighbour = HERE[:3] + b"\xfe"
    assert outcomes(server, 2, neighbour)["answered"] == 0
    assert outcomes(server, 10, THERE) == {"answered": 10}
    counts = server.counters()
    assert counts["limited"] + counts["slipped"] == 102 - found["answered"]


def test_who_shows_a_cookie_or_comes_over_tcp_is_not_limited() -> None:
    server = responder(rate=10)
    outcomes(server, 50, HERE)
    assert outcomes(server, 50, HERE, made_at(time.time())) == {"answered": 50}
    data = dns.message.make_query("www.example.org.", "A").to_wire()
    assert all(server.answer_stream(data, HERE) for _ in range(50))


def test_a_cut_response_says_no_more_than_the_question() -> None:
    server = responder(rate=1)
    query = dns.message.make_query("www.example.org.", "A", use_edns=0)
    responses = [server.answer_unsigned(query.to_wire(), HERE) for _ in range(10)]
    cut = [dns.message.from_wire(data) for data in responses if data and data[2] & 2]
    assert cut
    assert all(not message.answer and message.edns == 0 for message in cut)
    assert max(len(data) for data in responses[4:]) <= len(query.to_wire())


def test_many_networks_do_not_crowd_out_the_limit() -> None:
    server = responder(rate=1)
    query = dns.message.make_query("www.example.org.", "A").to_wire()
    for n in range(100_000):
        server.answer_unsigned(query, bytes([10, n >> 16 & 255, n >> 8 & 255, n & 255]))
    assert outcomes(server, 20, THERE)["answered"] == 2
