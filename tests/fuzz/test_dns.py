"""Damaged DNS queries through the answer path.

Invariants, whatever comes: the responder lives, and says nothing to what has no header or is a response. All else gets
one response with its id that dnspython can read, of 1,232 octets at most; a malformed query gets a code and no records.
The signature's place lies in the message. dnspython takes a hundred times as long as our own, so that of a large count
it makes and reads some.
"""

from random import Random

import dns.edns
import dns.message
import dns.rcode
import pytest
from answers.images import ZONES, responder
from answers.test_answers import HERE, KINDS, names

from dhcp_fast.wire.dns_message import look

SEED = 9_001
INTERESTING = (0, 1, 2, 12, 0x3F, 0x40, 0x80, 0xC0, 0xFF)
LONGEST = 2048
READ = 50_000  # responses, by dnspython
MADE = 20_000  # queries


def lawful(rng: Random, known: list[str]) -> bytes:
    query = dns.message.make_query(rng.choice(known), rng.choice((*KINDS, "ANY", "IXFR", "AXFR", "OPT")))
    if rng.random() < 0.7:
        option = dns.edns.GenericOption(dns.edns.COOKIE, rng.randbytes(rng.choice((8, 24, 40, 3))))
        query.use_edns(rng.choice((0, 0, 0, 1)), payload=rng.choice((0, 512, 1232, 65535)), options=[option])
    return query.to_wire()


def damaged(data: bytes, rng: Random) -> bytes:
    found = bytearray(data)
    for _ in range(rng.randint(1, 4)):
        at = rng.randrange(len(found)) if found else 0
        wound = rng.randrange(6)
        if wound == 0 and found:
            found[at] ^= 1 << rng.randrange(8)
        elif wound == 1 and found:
            found[at] = rng.choice(INTERESTING)
        elif wound == 2:
            del found[at:]
        elif wound == 3:
            found[at:at] = rng.randbytes(rng.randint(1, 20))
        elif wound == 4:
            found += found[12:]
        else:
            found[4:12] = bytes(rng.choice((0, 1, 2, 255)) for _ in range(8))
    return bytes(found[:LONGEST])


def test_damaged_queries(fuzz_count: int) -> None:
    rng, server, known = Random(SEED), responder(), names()
    queries = [lawful(rng, known) for _ in range(min(fuzz_count, MADE))]
    every = -(-fuzz_count // READ)
    codes = set()
    for number in range(fuzz_count):
        data = damaged(rng.choice(queries), rng)
        response = server.answer_unsigned(data, HERE)
        if len(data) < 12 or data[2] & 0x80:
            assert response == b""
            continue
        assert response[:2] == data[:2]
        assert response[2] & 0x80
        assert len(response) <= 1232
        if number % every == 0:
            codes.add(read(data, response))
        assert 0 <= look(data)[3] <= max(0, len(data) - 11)
    assert codes >= {
        dns.rcode.NOERROR,
        dns.rcode.FORMERR,
        dns.rcode.NXDOMAIN,
        dns.rcode.NOTIMP,
        dns.rcode.REFUSED,
    }


def read(data: bytes, response: bytes) -> int:
    """The response's code."""
    message = dns.message.from_wire(response)
    if look(data)[0]:
        assert message.rcode() != dns.rcode.NOERROR
        assert message.answer == []
    return int(message.rcode())


@pytest.mark.parametrize("size", [0, 1, 11, 12, 13, 511, 512, 1232, 2048, 65535])
def test_octets_of_no_protocol(size: int) -> None:
    rng, server = Random(SEED + size), responder()
    for _ in range(50):
        data = rng.randbytes(size)
        response = server.answer_unsigned(data, HERE)
        assert not response or response[:2] == data[:2]
        assert len(server.answer_stream(data, HERE)) <= 65535


def test_zones_come_and_go_in_memory() -> None:
    """Names and RRsets are put and taken away in any order; what is left is what was put last."""
    rng, server = Random(SEED), responder()
    image = server.zones.zones[min(server.zones.zones)]
    before = len(image)
    owners = [bytes([1, 97 + rng.randrange(6)]) * rng.randint(1, 5) + image.name for _ in range(40)]
    left: dict[bytes, bytes] = {}
    for _ in range(5000):
        owner = rng.choice(owners)
        if rng.random() < 0.5:
            left[owner] = rng.randbytes(4)
            image.put(owner, 1, b"\0\1\0\1\0\0\0\x3c\0\4" + left[owner])
        else:
            image.remove(owner, 1)
            left.pop(owner, None)
    sent = b"".join(octets for _, octets in image.transfer())
    for owner, address in left.items():
        assert owner[: -len(image.name)] + b"\xc0\x0c\0\1\0\1\0\0\0\x3c\0\4" + address in sent
    for owner in list(left):
        image.remove(owner, 1)
    assert len(image) == before
    assert len(ZONES) == len(server.zones.zones)
