"""The lease statements' wire protocol: operations out, answers back.

Invariant: the Bind message that a decoder written from PostgreSQL's documentation reads holds, parameter by parameter,
what the oracle reads in the packets. An answer is understood alike in any pieces; any other octets raise ValueError,
and no row that was not asked for is ever believed.
"""

import contextlib
import struct
from collections.abc import Iterator, Sequence
from ipaddress import IPv4Address
from random import Random
from typing import Any

import pytest
from fuzz.engine import (
    ASSOCIATION_OID,
    CLOCK,
    DEVICE_OID,
    FENCE,
    LIFETIME,
    MARGIN,
    NODE,
    OPERATION_OID,
    QUARANTINE,
    SECOND,
    SUBNET,
    TENANT,
    Bench,
    Row,
    answer,
    data_row,
    fed,
    framed,
)
from fuzz.engine import FIELDS as FIELDS_OF_PLAN
from oracle import packets as say
from oracle.decisions4 import Declines
from oracle.message4 import Message, parse
from oracle.packets import Packet

from dhcp_fast.engine.configure import keep_details
from dhcp_fast.pg.bind import PARAMETER_OIDS, AnswerReader, parse_message

SEED = 440
COUNT = 300
RELAY_ID = 12  # RFC 6925
HOUR = 3600 * SECOND
NAME_OCTETS = set(b"abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789-._")

FIELDS = (
    ("tenant_no", "integer"),
    ("address", "inet"),
    ("subnet_no", "integer"),
    ("place", "smallint"),
    ("operation", "char"),
    ("lifetime", "integer"),
    ("margin", "integer"),
    ("age", "integer"),
    ("version", "bigint"),
    ("hw_type", "smallint"),
    ("hw_address", "bytea"),
    ("client_id", "bytea"),
    ("client_key", "bytea"),
    ("hostname", "text"),
    ("relay", "inet"),
    ("circuit_id", "bytea"),
    ("remote_id", "bytea"),
    ("association", "association"),
    ("device", "device"),
    ("fqdn_flags", "smallint"),
)
DEVICE = (
    ("relay_id", "bytea"),
    ("relay_info", "bytea"),
    ("vendor_class", "bytea"),
    ("parameter_list", "bytea"),
    ("accepts_reconfigure", "boolean"),
    ("client_options", "bytea"),
)
# pg_type: the element's oid, and how many octets it has.
TYPES = {
    "integer": (23, 4),
    "bigint": (20, 8),
    "smallint": (21, 2),
    "char": (18, 1),
    "inet": (869, None),
    "bytea": (17, None),
    "text": (25, None),
    "boolean": (16, 1),
    "association": (ASSOCIATION_OID, None),
    "device": (DEVICE_OID, None),
}


@pytest.fixture
def bench() -> Iterator[Bench]:
    bench = Bench()
    keep_details(bench.engine, kept=True)
    yield bench
    bench.close()


# --- a naive reader of what is sent


class Octets:
    """Take from the front."""

    def __init__(self, data: bytes) -> None:
        self.data = data

    def take(self, size: int) -> bytes:
        assert size <= len(self.data)
        taken, self.data = self.data[:size], self.data[size:]
        return taken

    def number(self, size: int) -> int:
        return int.from_bytes(self.take(size), "big", signed=True)

    def text(self) -> bytes:
        taken, _, self.data = self.data.partition(b"\0")
        return taken

    def value(self) -> bytes | None:
        size = self.number(4)
        return None if size == -1 else self.take(size)


def messages(data: bytes) -> list[tuple[bytes, bytes]]:
    octets, found = Octets(data), []
    while octets.data:
        kind = octets.take(1)
        found.append((kind, octets.take(octets.number(4) - 4)))
    return found


def operations(data: bytes, statement: bytes) -> list[dict[str, Any]]:
    """The rows in Bind's array, each with the fence at its place; everything around must be as the protocol has it."""
    (bind, body), execute, sync = messages(data)
    assert (bind, execute, sync) == (b"B", (b"E", b"\0" + bytes(4)), (b"S", b""))
    octets = Octets(body)
    assert (octets.text(), octets.text()) == (b"", statement)
    assert [octets.number(2) for _ in range(octets.number(2))] == [1]
    assert octets.number(2) == len(PARAMETER_OIDS)
    rows = [row(value) for value in array(octets.value() or b"", OPERATION_OID)]
    assert octets.value() == struct.pack("!i", NODE)
    subnets = [scalar(value, "integer") for value in array(octets.value() or b"", 23)]
    fences = [scalar(value, "bigint") for value in array(octets.value() or b"", 20)]
    assert CLOCK - 1 <= scalar(octets.value() or b"", "bigint") < CLOCK + HOUR
    assert [octets.number(2) for _ in range(octets.number(2))] == [1]
    assert octets.data == b""
    assert len(subnets) == len(fences)
    assert [row["address"] for row in rows] == sorted(row["address"] for row in rows)
    for found in rows:
        place = found.pop("place")
        assert subnets[place - 1] == found["subnet_no"]
        found["fence"] = fences[place - 1]
    return rows


def array(data: bytes, oid: int) -> list[bytes]:
    """The elements, none of them NULL."""
    octets = Octets(data)
    assert [octets.number(4) for _ in range(3)] == [1, 0, oid]
    count, lower = octets.number(4), octets.number(4)
    values = [octets.value() for _ in range(count)]
    assert (octets.data, lower) == (b"", 1)
    assert None not in values
    return [value or b"" for value in values]


def row(data: bytes, fields: Sequence[tuple[str, str]] = FIELDS) -> dict[str, Any]:
    octets = Octets(data)
    assert octets.number(4) == len(fields)
    found = {name: field(octets, kind) for name, kind in fields}
    assert octets.data == b""
    return found


def field(octets: Octets, kind: str) -> Any:
    oid, size = TYPES[kind]
    assert octets.number(4) == oid
    value = octets.value()
    assert value is None or size is None or len(value) == size
    return None if value is None else scalar(value, kind)


def scalar(value: bytes, kind: str) -> Any:
    if kind in ("integer", "bigint", "smallint"):
        return int.from_bytes(value, "big", signed=True)
    if kind == "inet":
        assert value[:4] == bytes((2, 32, 0, 4))
        return IPv4Address(value[4:])
    return row(value, DEVICE) if kind == "device" else value


# --- what the packets say, by the oracle


def expected(message: Message, kind: str) -> dict[str, Any]:
    relay, hardware = message.relay, message.hardware_address or None
    key = b"\2" + message.options[61] if hardware is None else bytes((1, message.htype)) + hardware
    releases = kind == "r"
    return {
        "tenant_no": TENANT,
        "address": message.ciaddr if releases or not message.address(50) else message.address(50),
        "subnet_no": SUBNET,
        "fence": FENCE,
        "operation": kind.encode(),
        "lifetime": LIFETIME if kind in "bn" else 0,
        "margin": QUARANTINE if kind == "d" else MARGIN,
        "version": 0,
        "hw_type": message.htype,
        "hw_address": hardware,
        "client_id": message.options.get(61),
        "client_key": key,
        "hostname": host_name(message),
        "relay": message.giaddr,
        "circuit_id": relay and relay.circuit_id,
        "remote_id": relay and relay.remote_id,
        "association": None,
        "device": device(message) if kind == "b" else None,
        "fqdn_flags": None,
    }


def device(message: Message) -> dict[str, Any]:
    """What a grant tells of it, of DHCPv4."""
    return {
        "relay_id": dict(message.relay.suboptions).get(RELAY_ID) if message.relay else None,
        "relay_info": message.options.get(82),
        "vendor_class": message.options.get(60, b"")[:255] or None,
        "parameter_list": message.options.get(55),
        "accepts_reconfigure": None,
        "client_options": client_options(message),
    }


def client_options(message: Message) -> bytes | None:
    """Those that tell devices apart, in the order of their codes, as far as 512 octets hold them."""
    kept = b""
    for code in (77, 93):
        value = message.options.get(code)
        if value is not None and len(kept) + 4 + len(value) <= 512:
            kept += struct.pack("!HH", code, len(value)) + value
    return kept or None


def host_name(message: Message) -> bytes | None:
    name = message.options.get(12, b"")[:255].rstrip(b"\0")
    return bytes(octet if octet in NAME_OCTETS else ord("-") for octet in name) or None


def described(packet: Packet, rng: Random) -> bytes:
    """With some of what a client and a relay may say about themselves; pieces apart, to be joined (RFC 3396)."""
    words = (
        lambda p: p.client_id(rng.randbytes(rng.choice((2, 7, 255)))),
        lambda p: p.hostname(rng.randbytes(rng.choice((0, 1, 30, 255)))),
        lambda p: p.circuit(rng.randbytes(rng.choice((0, 1, 200)))),
        lambda p: p.remote(rng.randbytes(rng.choice((0, 6, 40)))),
        lambda p: p.suboption(RELAY_ID, rng.randbytes(4)),
        lambda p: p.vendor(rng.randbytes(rng.choice((1, 20, 255)))),
        lambda p: p.asking(*rng.randbytes(rng.choice((1, 12)))),
        lambda p: p.field(htype=rng.choice((6, 32, 255)), hlen=16, chaddr=rng.randbytes(16)),
    )
    if rng.random() < 0.3:
        packet, words = in_pieces(packet, rng), words[2:]
    for word in rng.sample(words, rng.randint(0, len(words))):
        packet = word(packet)
    return packet.with_relay("127.0.0.1").bytes()


def in_pieces(packet: Packet, rng: Random) -> Packet:
    first = packet.also(61, rng.randbytes(100)).also(12, rng.randbytes(200))
    return first.also(61, rng.randbytes(rng.choice((100, 155)))).also(12, rng.randbytes(200))


def address(number: int) -> str:
    return str(IPv4Address("127.64.1.0") + number)


def mac(number: int) -> bytes:
    return bytes((2, 1)) + number.to_bytes(4, "big")


def selecting(rng: Random, count: int) -> list[bytes]:
    server = "127.0.0.1"
    return [described(say.request_selecting(mac(n), address(n), server), rng) for n in range(count)]


def compare(found: list[dict[str, Any]], packets: list[bytes], kinds: list[str]) -> None:
    assert len(found) == len(packets)
    declines = Declines()
    for operation, data, kind in zip(found, packets, kinds, strict=True):
        message = parse(data)
        assert isinstance(message, Message)
        assert 0 <= operation.pop("age") < 60_000_000
        wanted = expected(message, kind)
        if kind == "d" and not declines.mark(0, str(wanted["client_key"]), line(wanted)):
            wanted["margin"] = 0
        assert operation == wanted


def line(operation: dict[str, Any]) -> str:
    """What declines are counted by beside the client: the relay with its circuit, else the subnet."""
    if operation["relay"] is None:
        return f"subnet {operation['subnet_no']}"
    return f"{operation['relay']} {operation['circuit_id']!r} {operation['remote_id']!r}"


def test_grants_are_sent_as_the_packets_say(bench: Bench) -> None:
    rng = Random(SEED)
    packets = selecting(rng, COUNT)
    bench.take(packets)
    batch = bench.batch(binds=True)
    assert batch is not None
    compare(operations(bench.encode(batch), b"bind"), packets, ["b"] * COUNT)


@pytest.mark.parametrize("hardware", [b"", bytes(6)], ids=["none", "zeros"])
def test_a_client_without_hardware_address_is_known_by_its_client_id(hardware: bytes, bench: Bench) -> None:
    """And one of zeros by the zeros, as by any other."""
    packet = (
        say.request_selecting(hardware, address(1), "127.0.0.1").client_id(b"\0id").with_relay("127.0.0.1")
    )
    bench.take([packet.bytes()])
    batch = bench.batch(binds=True)
    assert batch is not None
    compare(operations(bench.encode(batch), b"bind"), [packet.bytes()], ["b"])
    batch.refuse_row()


def test_renewals_releases_and_declines_are_sent_as_the_packets_say(bench: Bench) -> None:
    rng = Random(SEED + 1)
    makers = {
        "n": lambda n: say.request_renewing(mac(n), address(n)),
        "r": lambda n: say.release(mac(n), address(n), "127.0.0.1"),
        "d": lambda n: say.decline(mac(n), address(n), "127.0.0.1"),
    }
    kinds = [rng.choice("nrd") for _ in range(COUNT)]
    packets = [described(makers[kind](number), rng) for number, kind in enumerate(kinds)]
    bench.take(packets)
    batch = bench.batch(binds=False)
    assert batch is not None
    compare(operations(bench.encode(batch, b"change"), b"change"), packets, kinds)


def test_each_operation_points_at_the_fence_under_which_it_was_decided(bench: Bench) -> None:
    """A subnet changes between two packets: neighbours of one batch have different fences."""
    packets = selecting(Random(SEED), 40)
    for fence, chosen in ((FENCE, packets[::2]), (FENCE + 1, packets[1::2])):
        bench.plan(FIELDS_OF_PLAN | {"fence": fence})
        bench.take(chosen)
    batch = bench.batch(binds=True)
    assert batch is not None
    found = {
        operation["address"]: operation["fence"] for operation in operations(bench.encode(batch), b"bind")
    }
    assert found == {IPv4Address(address(n)): FENCE + n % 2 for n in range(40)}


def test_the_encoder_forgets_its_last_batch(bench: Bench) -> None:
    rng = Random(SEED + 2)
    packets = selecting(rng, 60)
    bench.take(packets)
    for start in range(0, 60, 20):
        batch = bench.batch(binds=True, most=20)
        assert batch is not None
        compare(operations(bench.encode(batch), b"bind"), packets[start : start + 20], ["b"] * 20)


def test_parse_message_names_every_parameter() -> None:
    (kind, body), sync = messages(parse_message(b"bind", b"select 1"))
    octets = Octets(body)
    assert (kind, sync, octets.text(), octets.text()) == (b"P", (b"S", b""), b"bind", b"select 1")
    assert tuple(octets.number(4) for _ in range(octets.number(2))) == PARAMETER_OIDS


# --- answers


def won(number: int, **other: Any) -> Row:
    row = Row(TENANT, IPv4Address(address(number)).packed, CLOCK, CLOCK + LIFETIME * SECOND, 2 * number + 2)
    return row._replace(**other)


def test_an_answer_is_understood_in_any_pieces(bench: Bench) -> None:
    rng = Random(SEED + 3)
    bench.take(selecting(rng, COUNT))
    batch = bench.batch(binds=True)
    assert batch is not None
    winners = sorted(rng.sample(range(COUNT), COUNT - 7))
    reader = fed(answer(won(number) for number in winners), rng)
    assert (reader.ready, reader.warned, reader.sqlstate) == (True, False, None)
    assert batch.committed(reader) == sorted(set(range(COUNT)) - set(winners))
    for number in winners:
        lease = bench.engine.lease(TENANT, int(IPv4Address(address(number))))
        assert lease is not None
        assert (lease["state"], lease["version"]) == ("a", 2 * number + 2)


def test_errors_and_warnings_are_understood_in_any_pieces() -> None:
    rng = Random(SEED + 4)
    fields = b"SERROR\0VERROR\0C22003\0Minteger out of range\0\0"
    for _ in range(50):
        reader = fed(framed(b"E", fields) + framed(b"Z", b"I"), rng)
        assert (reader.ready, reader.sqlstate, reader.error) == (True, "22003", "integer out of range")
        reader = fed(framed(b"N", b"SWARNUNG\0VWARNING\0C01000\0M\0\0") + answer([]), rng)
        assert (reader.ready, reader.warned, reader.sqlstate) == (True, True, None)
        reader = fed(framed(b"N", b"SNOTICE\0VNOTICE\0C00000\0Mhello\0\0") + answer([]), rng)
        assert (reader.ready, reader.warned) == (True, False)


def test_an_answer_cut_anywhere_is_not_ready() -> None:
    rng = Random(SEED + 5)
    whole = framed(b"N", b"VNOTICE\0\0") + answer(won(number) for number in range(3))
    for end in range(len(whole)):
        assert not fed(whole[:end], rng).ready


def test_an_empty_piece_changes_nothing() -> None:
    """The first of all pieces being empty was taken for a shortage of memory."""
    reader = AnswerReader()
    reader.reset()
    assert not reader.feed(b"")
    assert reader.feed(answer([]))
    assert reader.feed(b"")


@pytest.mark.parametrize("length", [0, 3, 1 << 28, 0x7FFFFFFF, 0xFFFFFFFF])
def test_message_of_impossible_length(length: int) -> None:
    with pytest.raises(ValueError, match="impossible length"):
        fed(b"D" + struct.pack("!I", length), Random(SEED))


def test_mutated_answers_are_refused_or_read(fuzz_count: int) -> None:
    rng, refused = Random(SEED + 6), 0
    whole = framed(b"N", b"SNOTICE\0VNOTICE\0M\0\0") + answer(won(number) for number in range(3))
    count = fuzz_count
    for _ in range(count):
        try:
            fed(mutated(whole, rng), rng)
        except ValueError:
            refused += 1
    assert count // 4 < refused < count


def mutated(data: bytes, rng: Random) -> bytes:
    octets = bytearray(data)
    for _ in range(rng.randint(1, 4)):
        octets[rng.randrange(len(octets))] = rng.choice(
            (0, 1, 4, 5, 8, 20, 127, 128, 255, rng.randrange(256))
        )
    return bytes(octets[: rng.choice((len(octets), rng.randrange(len(octets))))])


@pytest.mark.parametrize(
    "rows",
    [
        [won(COUNT + 5)],
        [won(1), won(1)],
        [won(1, tenant_no=TENANT + 1)],
        [won(1, address=bytes(12) + IPv4Address(address(1)).packed[::-1])],
    ],
    ids=["an address not asked for", "one address twice", "another tenant's", "an address of IPv6"],
)
def test_a_row_that_was_not_in_the_batch_is_not_believed(bench: Bench, rows: list[Row]) -> None:
    bench.take(selecting(Random(SEED), 10))
    batch = bench.batch(binds=True)
    assert batch is not None
    with pytest.raises(ValueError, match="not in the batch"):
        batch.committed(fed(answer(rows), Random(SEED)))


@pytest.mark.parametrize("cut", range(1, 36))
def test_row_shorter_than_its_shape(cut: int) -> None:
    """Shorter by whole octets, the message's length told right."""
    body = data_row(won(1))[5:-cut]
    with pytest.raises(ValueError, match="another shape"):
        fed(framed(b"D", body), Random(SEED))


def test_mutated_answers_to_a_real_batch_harm_nothing(fuzz_count: int) -> None:
    """The engine behind the reader: it believes rows of the batch only, whatever else they say."""
    rng = Random(SEED + 7)
    for _ in range(min(30, fuzz_count)):
        bench = Bench()
        bench.take(selecting(rng, 20))
        batch = bench.batch(binds=True)
        assert batch is not None
        with contextlib.suppress(ValueError):
            batch.committed(fed(mutated(answer(won(number) for number in range(20)), rng), rng))
        bench.engine.tick()
        bench.close()
