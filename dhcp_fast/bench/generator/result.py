"""Results of a storm: counts, latencies, and the log of every acknowledged address.

The log is the raw C array of 16-octet records, so a million exchanges cost no Python object.
`acknowledgements` unpacks it for the audit; another storm takes it as its ledger.
"""

import struct
from collections.abc import Iterator
from ipaddress import IPv4Address
from typing import NamedTuple

import msgspec

from dhcp_fast.bench.generator.histogram import Histogram

RECORD = struct.Struct("=I4s4sI")


class Acknowledgement(NamedTuple):
    """An ACK; `client` is the number in the MAC's last four octets, `lease_seconds` option 51.

    A record of 0 seconds is a release.
    """

    client: int
    address: IPv4Address
    server_id: IPv4Address
    lease_seconds: int


class Result(msgspec.Struct, frozen=True, kw_only=True):
    """Counts of one run; `drops` are exchanges given up, `elapsed` and `cpu` seconds (the generator's own).

    `in_time` are the exchanges that ended before the deadline, which is what a rate is made of.
    """

    mix: str
    window: int
    elapsed: float
    cpu: float
    in_time: int
    started: int
    offers: int
    acks: int
    naks: int
    drops: int
    retransmits: int
    restarts: int
    releases: int
    late: int
    duplicates: int
    foreign: int
    malformed: int
    unexpected: int
    refused: int
    kernel_drops: int
    latency: Histogram
    offer_latency: Histogram
    log: bytes

    @property
    def rate(self) -> float:
        """Exchanges a second."""
        return self.in_time / self.elapsed


def acknowledgements(log: bytes) -> Iterator[Acknowledgement]:
    """Yield the records of `Result.log` in the order of arrival."""
    for client, address, server_id, seconds in RECORD.iter_unpack(log):
        yield Acknowledgement(client, IPv4Address(address), IPv4Address(server_id), seconds)


def mac_of(seed: int, client: int) -> bytes:
    """Return the MAC of a storm's client."""
    return bytes((2, seed)) + client.to_bytes(4, "big")
