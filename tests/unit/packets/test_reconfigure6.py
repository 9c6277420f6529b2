"""Reconfigure messages by the octets of RFC 8415, and the envelopes that bring them to who is behind relays."""

import hashlib
from ipaddress import IPv6Address

from dhcp_fast.packets import message6 as m
from dhcp_fast.packets.reconfigure6 import back_through, is_authentic, reconfigure, relays_of

KEY = bytes(range(16))
SERVER, CLIENT = b"\0\4" + b"s" * 16, b"\0\3\0\1aaaaaa"
HEAD = bytes.fromhex("0a000000 0002 0012") + SERVER + bytes.fromhex("0001 000a") + CLIENT
AUTH = bytes.fromhex("0013 0001 05 000b 001c 03 01 00 0000000000abcdef 02")
PEER, RELAY = IPv6Address("fe80::7"), IPv6Address("2001:db8::1")


def hmac_md5(message: bytes) -> bytes:
    """RFC 2104, written out."""
    padded = KEY.ljust(64, b"\0")
    inner = hashlib.md5(bytes(b ^ 0x36 for b in padded) + message, usedforsecurity=False).digest()
    return hashlib.md5(bytes(b ^ 0x5C for b in padded) + inner, usedforsecurity=False).digest()


def test_the_octets_of_a_message() -> None:
    """Sections 20.4.3 and 21.11: the hash is of the whole message with zeros in its place."""
    message = reconfigure(SERVER, CLIENT, 5, 0xABCDEF, KEY)
    assert message[:-16] == HEAD + AUTH
    assert message[-16:] == hmac_md5(HEAD + AUTH + bytes(16))
    assert is_authentic(message, KEY)
    assert not is_authentic(message, bytes(16))
    assert not is_authentic(message.replace(b"aaaaaa", b"aaaaab"), KEY)


def told(*options: m.Option) -> bytes:
    """Two relays, as a lease keeps them (RFC 5007 section 4.1.2.4)."""
    inner = m.RELAY_HEADER.pack(12, 0, RELAY.packed, PEER.packed) + m.pack(options)
    outer = m.relay_forward(inner, link=m.NOWHERE, peer=RELAY, hops=1, options=[(m.INTERFACE_ID, b"up")])
    return IPv6Address("2001:db8::99").packed + outer


def test_it_goes_back_through_the_relays_that_the_client_came_by() -> None:
    """What is told back is theirs: Interface-Id, source port, and what the relay wants to have (RFC 4994)."""
    options = [
        (m.INTERFACE_ID, b"down"),
        (37, b"\0\0\0\1r"),
        (43, b"\0\x25"),
        (79, b"\0\1mac"),
        m.relay_port(0),
    ]
    address, relays = relays_of(told(*options))
    assert address == IPv6Address("2001:db8::99").packed
    envelopes, message = m.opened(m.read(back_through(relays, b"\x0a\0\0\0", with_network=False)))
    assert [(e.kind, e.hops, e.link, e.peer) for e in envelopes] == [
        (13, 1, m.NOWHERE, RELAY), (13, 0, RELAY, PEER)
    ]  # fmt: skip
    assert [code for code, _ in envelopes[1].options] == [m.INTERFACE_ID, 37, m.RELAY_PORT, m.RELAY_MESSAGE]
    assert envelopes[0].value(m.INTERFACE_ID) == b"up"
    assert message is not None
    assert message.kind == 10


def test_a_virtual_network_comes_back_where_networks_are_told_apart() -> None:
    _, relays = relays_of(told((68, b"\0red")))
    for several in (False, True):
        envelopes, _ = m.opened(m.read(back_through(relays, b"\x0a\0\0\0", with_network=several)))
        assert (envelopes[1].value(68) == b"\0red") == several
