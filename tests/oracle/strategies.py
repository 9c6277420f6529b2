"""Hypothesis strategies over the oracle's own vocabulary: they shrink, where generate.py only repeats.

messages()  keyword arguments of `build` together with its options, lawful requests all of them
garbage()   octets that begin like a DHCP message as far as hypothesis likes, then anything
"""

from __future__ import annotations

from typing import Any

from hypothesis import strategies as st
from oracle.message4 import COOKIE
from oracle.options4 import REQUEST_LENGTHS, Pair

TYPES = st.sampled_from([1, 3, 4, 7, 8])
IPV4 = st.ip_addresses(v=4)
OPAQUE_CODES = sorted(set(range(1, 255)) - REQUEST_LENGTHS.keys() - {52, 53})


def _fitting(code: int) -> st.SearchStrategy[Pair]:
    """A value whose length fits; option 97 begins with its type, option 82 holds whole sub-options."""
    length = REQUEST_LENGTHS[code]
    if code == 97:
        return st.binary(min_size=16, max_size=16).map(lambda uuid: (97, b"\0" + uuid))
    if code == 82:
        return st.lists(suboptions(), min_size=1, max_size=5).map(lambda subs: (82, b"".join(subs)))
    greatest = 40 if length.greatest is None else length.greatest
    size = st.integers(length.least // length.divisor, greatest // length.divisor)
    return size.flatmap(lambda n: st.binary(min_size=n * length.divisor, max_size=n * length.divisor)).map(
        lambda value: (code, value)
    )


def suboptions() -> st.SearchStrategy[bytes]:
    fixed = st.sampled_from([(5, 4), (10, 1), (11, 4), (19, 0)]).flatmap(
        lambda sub: st.binary(min_size=sub[1], max_size=sub[1]).map(lambda value: bytes(sub) + value)
    )
    opaque = st.tuples(st.sampled_from([0, 1, 2, 6, 9, 12, 255]), st.binary(max_size=30)).map(
        lambda sub: bytes([sub[0], len(sub[1])]) + sub[1]
    )
    return fixed | opaque


def options() -> st.SearchStrategy[list[Pair]]:
    """Distinct codes in any order; opaque ones may be long enough to need pieces."""
    opaque = st.tuples(
        st.sampled_from(OPAQUE_CODES), st.binary(max_size=40) | st.binary(min_size=250, max_size=600)
    )
    known = st.sampled_from(sorted(REQUEST_LENGTHS)).flatmap(_fitting)
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


def garbage() -> st.SearchStrategy[bytes]:
    header = st.binary(min_size=232, max_size=232).map(lambda rest: b"\x01\x01\x06\x00" + rest + COOKIE)
    tail = st.lists(st.tuples(st.integers(0, 255), st.integers(0, 8), st.binary(max_size=8)), max_size=20)
    options = tail.map(lambda triples: b"".join(bytes([code, size]) + value for code, size, value in triples))
    return st.binary(max_size=300) | st.builds(bytes.__add__, header, options)
