"""An engine without a database: one subnet, one socket, operations out as Bind messages and answers made up here.

The address plan is 127.64.0.0/16 behind relay 127.0.0.1, all of it one pool.
"""

import socket
import struct
from collections.abc import Iterable
from ipaddress import IPv4Address
from random import Random
from typing import Any, NamedTuple

from dhcp_fast.engine.batch import Batch, take_batch
from dhcp_fast.engine.engine import Engine, boot_clock
from dhcp_fast.net.udp import UdpSocket
from dhcp_fast.pg.bind import AnswerReader, BatchEncoder
from dhcp_fast.plan.compile import SubnetView
from dhcp_fast.plan.pool_row import PoolRow
from dhcp_fast.plan.tenant_view import TenantView

KEY = (3, 4)
TENANT, SUBNET, FENCE, NODE = 6, 5, 9, 77
OPERATION_OID = 65_536
ASSOCIATION_OID = OPERATION_OID + 1
DEVICE_OID = OPERATION_OID + 2
LIFETIME, MARGIN, QUARANTINE = 3600, 15, 120
NETWORK, MASK = int(IPv4Address("127.64.0.0")), int(IPv4Address("255.255.0.0"))
RELAY = int(IPv4Address("127.0.0.1"))
SECOND = 1_000_000
CLOCK = 840_000_000 * SECOND

FIELDS: dict[str, Any] = {
    "no": SUBNET,
    "fence": FENCE,
    "network": NETWORK,
    "mask": MASK,
    "gateway": None,
    "dhcp_enabled": True,
    "authoritative": True,
    "match_client_id": False,
    "rapid_commit": False,
    "ping_check": False,
    "lease_time_seconds": LIFETIME,
    "min_lease_time_seconds": None,
    "max_lease_time_seconds": None,
    "renew_time_seconds": None,
    "rebind_time_seconds": None,
    "decline_quarantine_seconds": QUARANTINE,
    "reuse_margin_seconds": MARGIN,
    "cache_threshold": 0.25,
    "next_server_address": None,
    "next_server": None,
    "boot_file": None,
    "ddns_enabled": False,
    "ddns_override_no_update": False,
    "ddns_override_client_update": False,
    "ddns_replace_client_name": "never",
    "ddns_domain": None,
    "ddns_client_domains": None,
    "ddns_generated_prefix": None,
    "options": [],
    "pools": [PoolRow(1, NETWORK + 16, NETWORK + 0xFF00)],
    "forbidden": [],
    "reservations": [],
}


class Row(NamedTuple):
    """What RETURNING gives of a lease."""

    tenant_no: int
    address: bytes
    renewed: int
    expires: int
    version: int


class Bench:
    """The engine, its socket and the client's."""

    def __init__(self) -> None:
        self.engine = Engine(KEY)
        self.engine.plan.set_relays([(RELAY, 0xFFFFFFFF, 0)], TENANT)
        self.plan(FIELDS)
        now = boot_clock()
        self.engine.set_clock(CLOCK, now, now)
        self.socket = UdpSocket("127.0.0.1", 0)
        self.engine.add_socket(self.socket)
        self.encoder = BatchEncoder()
        self.encoder.know_types(OPERATION_OID, ASSOCIATION_OID, DEVICE_OID)
        self.client = socket.socket(socket.AF_INET, socket.SOCK_DGRAM)
        self.client.bind(("127.0.0.1", 0))
        self.client.settimeout(5)

    def plan(self, fields: dict[str, Any]) -> None:
        """The subnet as told, in the place of what it was."""
        self.engine.put_subnet(SubnetView(TenantView(TENANT, []), KEY, fields), [RELAY], [])

    def close(self) -> None:
        self.client.close()
        self.socket.close()

    def take(self, packets: Iterable[bytes]) -> None:
        for data in packets:
            self.client.sendto(data, self.socket.address)
            self.engine.receive(0)

    def batch(self, binds: bool, most: int = 512) -> Batch | None:
        """Of grants, those of addresses without a known row come first."""
        statements = (3, 0) if binds else (1,)
        found = (take_batch(self.engine, statement, most) for statement in statements)
        return next((batch for batch in found if batch is not None), None)

    def encode(self, batch: Batch, statement: bytes = b"bind") -> bytes:
        return batch.encode(self.encoder, statement, NODE)


def data_row(row: Row) -> bytes:
    values = (
        struct.pack("!i", row.tenant_no),
        bytes((2, 32, 0, 4)) + row.address if len(row.address) == 4 else bytes((3, 128, 0, 16)) + row.address,
        *(struct.pack("!q", value) for value in (row.renewed, row.expires, row.version)),
    )
    body = struct.pack("!h", 5) + b"".join(struct.pack("!i", len(value)) + value for value in values)
    return framed(b"D", body)


def framed(kind: bytes, body: bytes = b"") -> bytes:
    return kind + struct.pack("!i", 4 + len(body)) + body


def answer(rows: Iterable[Row]) -> bytes:
    """BindComplete, the rows, CommandComplete, ReadyForQuery."""
    middle = b"".join(map(data_row, rows))
    return framed(b"2") + middle + framed(b"C", b"SELECT 1\0") + framed(b"Z", b"I")


def pieces(data: bytes, rng: Random) -> Iterable[bytes]:
    while data:
        size = rng.choice((1, 2, 3, 7, 100, 5000))
        yield data[:size]
        data = data[size:]


def fed(data: bytes, rng: Random) -> AnswerReader:
    reader = AnswerReader()
    reader.reset()
    for piece in pieces(data, rng):
        reader.feed(piece)
    return reader
