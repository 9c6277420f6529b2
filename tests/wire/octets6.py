"""DHCPv6 octets written out for the tests of the codec: each function is one figure of RFC 8415."""

from __future__ import annotations

from ipaddress import IPv6Address

SOLICIT, ADVERTISE, REQUEST, CONFIRM, RENEW, REBIND, REPLY, RELEASE, DECLINE = range(1, 10)
RECONFIGURE, INFORMATION_REQUEST, RELAY_FORW, RELAY_REPL, LEASEQUERY = range(10, 15)
ADDR_REG_INFORM, ADDR_REG_REPLY = 36, 37

XID = 0x123456
CLIENT_DUID = bytes.fromhex("0001 0001 1a2b3c4d 020000000001")
SERVER_DUID = bytes.fromhex("0003 0001 0200000000ff")


def u16(number: int) -> bytes:
    return number.to_bytes(2, "big")


def u32(number: int) -> bytes:
    return number.to_bytes(4, "big")


def ip(text: str) -> bytes:
    return IPv6Address(text).packed


def option(code: int, data: bytes = b"") -> bytes:
    return u16(code) + u16(len(data)) + data


CLIENT_ID = option(1, CLIENT_DUID)
SERVER_ID = option(2, SERVER_DUID)


def message(kind: int, *options: bytes, xid: int = XID) -> bytes:
    return bytes([kind]) + xid.to_bytes(3, "big") + b"".join(options)


def ia_na(iaid: int, *options: bytes, t1: int = 0, t2: int = 0) -> bytes:
    return option(3, u32(iaid) + u32(t1) + u32(t2) + b"".join(options))


def ia_ta(iaid: int, *options: bytes) -> bytes:
    return option(4, u32(iaid) + b"".join(options))


def ia_pd(iaid: int, *options: bytes, t1: int = 0, t2: int = 0) -> bytes:
    return option(25, u32(iaid) + u32(t1) + u32(t2) + b"".join(options))


def iaaddr(address: str, preferred: int = 0, valid: int = 0, *options: bytes) -> bytes:
    return option(5, ip(address) + u32(preferred) + u32(valid) + b"".join(options))


def iaprefix(prefix: str, length: int, preferred: int = 0, valid: int = 0, *options: bytes) -> bytes:
    return option(26, u32(preferred) + u32(valid) + bytes([length]) + ip(prefix) + b"".join(options))


def oro(*codes: int) -> bytes:
    return option(6, b"".join(map(u16, codes)))


def relay_forw(
    inner: bytes, *options: bytes, hops: int = 0, link: str = "::", peer: str = "fe80::1"
) -> bytes:
    return bytes([RELAY_FORW, hops]) + ip(link) + ip(peer) + b"".join(options) + option(9, inner)


def relay_repl(
    inner: bytes, *options: bytes, hops: int = 0, link: str = "::", peer: str = "fe80::1"
) -> bytes:
    return bytes([RELAY_REPL, hops]) + ip(link) + ip(peer) + b"".join(options) + option(9, inner)
