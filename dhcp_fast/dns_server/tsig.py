"""Transaction signatures (RFC 8945) of messages as octets: the query's is checked and removed. Each
message of the response has its own, which covers the one before.

Messages are not parsed: the signature is the last record of the additional section, and covers
everything before it.
"""

import struct
import time
from collections.abc import Mapping
from typing import Any

import dns.exception
import dns.name
import dns.rcode
import dns.rdata
import dns.rdataclass
import dns.rdatatype
import dns.tsig
from dns.rdtypes.ANY.TSIG import TSIG

from dhcp_fast.dns_server.rendering import wire

FUDGE = 300
BADSIG, BADKEY, BADTIME = 16, 17, 18
HEAD = struct.Struct("!HHIH")
FIXED = 16  # of the record's data, beside its names and the MAC
LONGEST_MAC = 64 + 6  # and the time where clocks differ
LEAST_MAC = 10
HEADER = 12
ADDITIONAL_COUNT = slice(10, 12)

Keys = Mapping[dns.name.Name, dns.tsig.Key]


class Signature:
    """Signature of one query: its key, and the state for the next message."""

    def __init__(self, key: dns.tsig.Key, mac: bytes, original_id: int) -> None:
        self.key = key
        self.mac = mac
        self.original_id = original_id
        self.context: dns.tsig.HMACTSig | dns.tsig.GSSTSig | None = None

    @property
    def size(self) -> int:
        """Octets that a signature takes at most."""
        return len(wire(self.key.name)) + len(wire(self.key.algorithm)) + HEAD.size + FIXED + LONGEST_MAC

    def sign(self, message: bytes, several: bool = False) -> bytes:
        """Return the message with its signature; `several`: it is one of the messages of one response (section
        5.3.1)."""
        now = int(time.time())
        return self.sign_by(message, made(self.key.algorithm, now, self.original_id, 0, b""), several)

    def sign_late(self, message: bytes, when: int, fudge: int) -> bytes:
        """Sign with the client's time and fudge, so that its clock does not hide what is said, and with ours behind
        (section 5.2.3)."""
        ours = int(time.time()).to_bytes(6, "big")
        return self.sign_by(message, made(self.key.algorithm, when, self.original_id, BADTIME, ours, fudge))

    def sign_by(self, message: bytes, rdata: Any, several: bool = False) -> bytes:
        sign: Any = dns.tsig.sign
        when = rdata.time_signed
        found, self.context = sign(message, self.key, rdata, when, self.mac, self.context, several)
        return with_record(message, self.key.name, found.to_wire())


def made(
    algorithm: dns.name.Name, when: int, original_id: int, error: int, other: bytes, fudge: int = FUDGE
) -> Any:
    """Return a record's data, still without its signature."""
    tsig: Any = TSIG
    kind = dns.rdatatype.TSIG
    return tsig(dns.rdataclass.ANY, kind, algorithm, when, fudge, b"", original_id, error, other)


class Unsigned(Exception):
    """Signature that is not accepted; `response` is the error to send."""

    def __init__(self, response: bytes) -> None:
        super().__init__("the signature is not accepted")
        self.response = response


def take(data: bytes, at: int, end: int, keys: Keys) -> tuple[bytes, Signature]:
    """Return the query without its signature, which begins at octet `at`; its question ends at `end`. The record has
    the form of RFC 8945 section 4.2, as wire/dns_message.pyx has checked; dnspython also refuses values that no query
    may have (an error above 4095). Raises Unsigned."""
    question = without_records(data, end)
    try:
        rdata, owner = read(data, at)
    except dns.exception.DNSException:
        raise Unsigned(with_code(question, dns.rcode.FORMERR)) from None
    key = keys.get(owner)
    if key is None or key.algorithm != rdata.algorithm:
        raise Unsigned(refusal(question, owner, rdata, BADKEY))
    if rdata.error or not is_lawful_size(len(rdata.mac), key):
        raise Unsigned(with_code(question, dns.rcode.FORMERR))
    check(question, data, at, key, rdata)
    return with_additional(data[:at], -1), Signature(key, rdata.mac, rdata.original_id)


def check(question: bytes, data: bytes, at: int, key: dns.tsig.Key, rdata: Any) -> None:
    """Check the MAC first and then the time (sections 5.2.2 and 5.2.3). Raises Unsigned."""
    validate: Any = dns.tsig.validate
    try:
        validate(data, key, key.name, rdata, int(time.time()), b"", at)
    except dns.tsig.BadSignature:
        raise Unsigned(refusal(question, key.name, rdata, BADSIG)) from None
    except dns.tsig.BadTime:
        refused = with_code(question, dns.rcode.NOTAUTH)
        signature = Signature(key, rdata.mac, rdata.original_id)
        raise Unsigned(signature.sign_late(refused, rdata.time_signed, rdata.fudge)) from None


def is_lawful_size(octets: int, key: dns.tsig.Key) -> bool:
    """Return whether a MAC may have that length: neither longer than the algorithm's nor cut below ten octets or its
    half (section 5.2.2.1)."""
    full = mac_size(key)
    return max(LEAST_MAC, full // 2) <= octets <= full


def mac_size(key: dns.tsig.Key) -> int:
    """Raise NotImplementedError for an algorithm that is not supported."""
    context: Any = dns.tsig.HMACTSig
    return len(context(key.secret, key.algorithm).sign())


def without_records(data: bytes, end: int) -> bytes:
    """Return header and question of a query; the question is complete or absent."""
    return data[:4] + (b"\0\1" if end > HEADER else b"\0\0") + bytes(6) + data[HEADER:end]


def with_code(question: bytes, code: int) -> bytes:
    """Return the response with this code and no records."""
    flags = 0x8000 | int.from_bytes(question[2:4], "big") & 0x7900 | code
    return question[:2] + flags.to_bytes(2, "big") + question[4:]


def refusal(question: bytes, owner: dns.name.Name, rdata: Any, error: int) -> bytes:
    """Return a refusal with the key's name and algorithm as they came, and no signature (section 5.2.1, 5.2.2)."""
    blank = made(rdata.algorithm, rdata.time_signed, rdata.original_id, error, b"")
    return with_record(with_code(question, dns.rcode.NOTAUTH), owner, blank.to_wire())


def read(data: bytes, at: int) -> tuple[Any, dns.name.Name]:
    owner, used = dns.name.from_wire(data, at)
    start = at + used + HEAD.size
    size = HEAD.unpack_from(data, at + used)[3]
    return dns.rdata.from_wire(dns.rdataclass.ANY, dns.rdatatype.TSIG, data, start, size), owner


def with_record(message: bytes, owner: dns.name.Name, rdata: bytes) -> bytes:
    head = HEAD.pack(dns.rdatatype.TSIG, dns.rdataclass.ANY, 0, len(rdata))
    return with_additional(message, 1) + wire(owner) + head + rdata


def with_additional(message: bytes, more: int) -> bytes:
    count = int.from_bytes(message[ADDITIONAL_COUNT], "big") + more
    return message[:10] + count.to_bytes(2, "big") + message[12:]
