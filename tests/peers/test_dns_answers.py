"""The same zones at BIND, at Knot and in our image: the same answers to generated questions.

Compared are code, AA and TC, the answer and, in denials and referrals, the authority section. What each adds beyond
that is its own affair, and where the two differ from each other there is nothing to be held to.
"""

from collections.abc import AsyncIterator
from itertools import product
from pathlib import Path
from typing import NamedTuple

import dns.asyncquery
import dns.flags
import dns.message
import pytest
from answers import oracle
from answers.images import ZONES, responder
from answers.test_answers import HERE, KINDS, names, section
from dns.message import Message
from peers.servers import Peer, bind_with, knot_with

pytestmark = pytest.mark.peers

# Aliases and redirections into another zone of the same server: RFC 1034 section 4.3.2 goes on there, as we do; both of
# these leave that to whoever asks.
ACROSS = ("beside.example.org.", ".over.example.org.", ".moved.example.org.", ".near.example.org.")
ALSO = ("ANY", "HTTPS", "RRSIG", "NSEC")


class Said(NamedTuple):
    code: int
    flags: int
    answer: oracle.Section
    authority: oracle.Section


def said(message: Message) -> Said:
    """The authority section beside an answer is left out."""
    flags = message.flags & (dns.flags.AA | dns.flags.TC)
    kept = message.authority if not message.answer or message.rcode() else []
    return Said(message.rcode(), int(flags), section(message.answer), section(kept))


@pytest.fixture
async def peers(tmp_path: Path) -> AsyncIterator[list[Peer]]:
    for name in ("bind", "knot"):
        (tmp_path / name).mkdir()
    async with bind_with(tmp_path / "bind", ZONES) as bind, knot_with(tmp_path / "knot", ZONES) as knot:
        yield [bind, knot]


async def test_answers_are_those_of_bind_and_knot(peers: list[Peer]) -> None:
    server, compared = responder(), 0
    differing = []
    for name, kind in product(names()[::3], (*KINDS, *ALSO)):
        query = dns.message.make_query(name, kind, use_edns=0)
        ours = said(dns.message.from_wire(server.answer_unsigned(query.to_wire(), HERE)))
        theirs = [said(await dns.asyncquery.udp(query, "127.0.0.1", 5, peer.port)) for peer in peers]
        if kind == "ANY":
            ours, *theirs = [each._replace(answer=set(), authority=set()) for each in (ours, *theirs)]
        if ours not in theirs and not name.endswith(ACROSS):
            differing.append((name, kind, ours, theirs))
        compared += 1
    assert differing == []
    assert compared > 2000
