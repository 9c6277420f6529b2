"""Hypothesis strategies over the oracle's own vocabulary: they shrink, where generate.py only repeats.

messages()  keyword arguments of `build` together with its options, lawful requests all of them
spoiled()   the same, with malformed options among them that a server ignores, and their codes
garbage()   octets that begin like a DHCP message as far as hypothesis likes, then anything
"""

from __future__ import annotations

from typing import Any

from hypothesis import strategies as st
from oracle.message4 import COOKIE
from oracle.options4 import OVERLOAD, RELAY_AGENT, REQUEST_LENGTHS, Pair, fault

TYPES = st.sampled_from([1, 3, 4, 7, 8])
IPV4 = st.ip_addresses(v=4)
OPAQUE_CODES = sorted(set(range(1, 255)) - REQUEST_LENGTHS.keys() - {52, 53})


def _fitting(code: int) -> st.SearchStrategy[Pair]:
    """A well-formed value: those of SHAPED have more to them than a length."""
    if code in SHAPED:
        return SHAPED[code]().map(lambda value: (code, value))
    length = REQUEST_LENGTHS[code]
    greatest = 40 if length.greatest is None else length.greatest
    size = st.integers(length.least // length.divisor, greatest // length.divisor)
    return size.flatmap(lambda n: st.binary(min_size=n * length.divisor, max_size=n * length.divisor)).map(
        lambda value: (code, value)
    )


def _machines() -> st.SearchStrategy[bytes]:
    return st.binary(min_size=16, max_size=16).map(lambda uuid: b"\0" + uuid)


def _names() -> st.SearchStrategy[bytes]:
    labels = st.lists(st.binary(min_size=1, max_size=63), max_size=3)
    wire = st.tuples(labels, st.sampled_from([b"", b"\0"])).map(
        lambda name: b"\4\0\0" + b"".join(bytes([len(label)]) + label for label in name[0]) + name[1]
    )
    return wire | st.from_regex(r"([a-z0-9-]{1,63}\.){0,3}", fullmatch=True).map(
        lambda text: b"\1\0\0" + text.encode()
    )


def _blocks() -> st.SearchStrategy[bytes]:
    block = st.tuples(st.binary(min_size=4, max_size=4), st.binary(max_size=60)).map(
        lambda parts: parts[0] + bytes([len(parts[1])]) + parts[1]
    )
    return st.lists(block, min_size=1, max_size=4).map(b"".join)


def suboptions() -> st.SearchStrategy[bytes]:
    fixed = st.sampled_from([(5, 4), (10, 1), (11, 4), (19, 0)]).flatmap(
        lambda sub: st.binary(min_size=sub[1], max_size=sub[1]).map(lambda value: bytes(sub) + value)
    )
    opaque = st.tuples(st.sampled_from([0, 1, 2, 6, 9, 12, 255]), st.binary(max_size=30)).map(
        lambda sub: bytes([sub[0], len(sub[1])]) + sub[1]
    )
    return fixed | opaque


def _relays() -> st.SearchStrategy[bytes]:
    return st.lists(suboptions(), min_size=1, max_size=5).map(b"".join)


SHAPED = {81: _names, 82: _relays, 97: _machines, 124: _blocks, 125: _blocks}


def options() -> st.SearchStrategy[list[Pair]]:
    """Distinct codes in any order; opaque ones may be long enough to need pieces."""
    opaque = st.tuples(
        st.sampled_from(OPAQUE_CODES), st.binary(max_size=40) | st.binary(min_size=250, max_size=600)
    )
    known = st.sampled_from(sorted(REQUEST_LENGTHS.keys() - {OVERLOAD})).flatmap(_fitting)
    return st.lists(known | opaque, max_size=8, unique_by=lambda pair: pair[0])


@st.composite
def messages(draw: st.DrawFn) -> dict[str, Any]:
    typed = [(53, bytes([draw(TYPES)])), *draw(options())]
    numbers = {"htype": 255, "hlen": 16, "hops": 255, "secs": 0xFFFF, "flags": 0xFFFF, "xid": 0xFFFFFFFF}
    fields: dict[str, Any] = {name: draw(st.integers(0, most)) for name, most in numbers.items()}
    fields |= {name: draw(IPV4) for name in ("ciaddr", "yiaddr", "siaddr", "giaddr")}
    fields |= {"chaddr": draw(st.binary(min_size=16, max_size=16)), "ended": draw(st.booleans())}
    least = draw(st.sampled_from([0, 300, 548])) if fields["ended"] else 0
    return fields | {"options": draw(st.permutations(typed)), "least": least}


def _misfit(code: int) -> st.SearchStrategy[Pair]:
    """A value that makes the option malformed; one empty sub-option 5 does it in option 82."""
    if code == RELAY_AGENT:
        return st.lists(suboptions(), max_size=3).map(lambda subs: (code, b"".join(subs) + b"\5\0"))
    values = st.binary(max_size=40).filter(lambda value: fault(code, value, REQUEST_LENGTHS) != "")
    return values.map(lambda value: (code, value))


@st.composite
def spoiled(draw: st.DrawFn) -> tuple[dict[str, Any], frozenset[int]]:
    message = draw(messages())
    absent = sorted(REQUEST_LENGTHS.keys() - dict(message["options"]).keys())
    pairs = draw(
        st.lists(st.sampled_from(absent).flatmap(_misfit), max_size=4, unique_by=lambda pair: pair[0])
    )
    together = draw(st.permutations([*message["options"], *pairs]))
    return message | {"options": together}, frozenset(code for code, _ in pairs)


def garbage() -> st.SearchStrategy[bytes]:
    header = st.binary(min_size=232, max_size=232).map(lambda rest: b"\x01\x01\x06\x00" + rest + COOKIE)
    tail = st.lists(st.tuples(st.integers(0, 255), st.integers(0, 8), st.binary(max_size=8)), max_size=20)
    options = tail.map(lambda triples: b"".join(bytes([code, size]) + value for code, size, value in triples))
    return st.binary(max_size=300) | st.builds(bytes.__add__, header, options)
