"""The kernel's BPF program and the workers' own arithmetic must name the same worker for every client."""

import random
import select
import socket
from collections import Counter
from collections.abc import Iterator
from ipaddress import IPv6Address

import pytest

from dhcp_fast.net.reuseport import WorkerHash

RANDOM = random.Random(21)
CHADDR = 28
LENGTH = 300
MASK = 0xFFFFFFFF
NETWORK = 0xFFF00000  # SKF_NET_OFF of linux/filter.h, as an unsigned number
RELAY_FORW = 12
LONGEST_PROGRAM = 64  # that `attach` has room for


def interpret(program: list[tuple[int, int, int, int]], message: bytes, header: bytes = b"") -> int:
    """Classic BPF as the kernel defines it (Documentation/networking/filter.rst), the part that is used here; `header`
    is that of IPv6, which stands at negative offsets from NETWORK on."""
    a, x, memory, at = 0, 0, [0] * 16, 0
    while at < len(program):
        code, if_true, if_false, k = program[at]
        at += 1
        match code:
            case 0x20 | 0x28 | 0x30:  # ld, ldh, ldb: absolute
                width = {0x20: 4, 0x28: 2, 0x30: 1}[code]
                octets, k = (header, k - NETWORK) if k >= NETWORK else (message, k)
                if k + width > len(octets):
                    return 0
                a = int.from_bytes(octets[k : k + width], "big")
            case 0x00:  # ld: the constant
                a = k
            case 0x15:  # jeq
                at += if_true if a == k else if_false
            case 0x05:  # ja
                at += k
            case 0x61:  # ldx from memory
                x = memory[k]
            case 0x02:  # st
                memory[k] = a
            case 0xA4:  # xor
                a ^= k
            case 0xAC:
                a ^= x
            case 0x24:  # mul
                a = a * k & MASK
            case 0x74:  # rsh
                a >>= k
            case 0x94:  # mod
                a %= k
            case 0x16:  # ret a
                return a
            case _:
                raise AssertionError(hex(code))
    raise AssertionError("the program does not end")


def message(chaddr: bytes) -> bytes:
    return bytes(CHADDR) + chaddr.ljust(LENGTH - CHADDR, b"\xff")


def addresses(count: int) -> list[bytes]:
    """Half of them neighbours, as a vendor numbers them, half anything."""
    near = [b"\x00\x1c\x42" + (0x10000 + i).to_bytes(3, "big") for i in range(count // 2)]
    return near + [RANDOM.randbytes(6) for _ in range(count // 2)]


@pytest.mark.parametrize("count", [1, 2, 3, 4, 7, 64])
def test_the_program_computes_what_the_worker_computes(count: int) -> None:
    for seed in (0, 1, MASK, RANDOM.getrandbits(32)):
        worker_hash = WorkerHash(seed, count)
        program = worker_hash.program()
        for chaddr in addresses(2000):
            assert interpret(program, message(chaddr)) == worker_hash.worker(chaddr)


@pytest.mark.parametrize("count", [2, 3, 4])
def test_clients_are_spread_evenly(count: int) -> None:
    """A tenth more or less than their part, of neighbours as of others: four standard deviations and more."""
    found = addresses(20_000)
    for part in (found[:10_000], found[10_000:]):
        served = Counter(map(WorkerHash(RANDOM.getrandbits(32), count).worker, part))
        assert all(abs(served[worker] * count / 10_000 - 1) < 0.1 for worker in range(count)), served


def test_missing_octets_count_as_zeros_and_further_ones_not_at_all() -> None:
    worker_hash = WorkerHash(5, 64)
    assert worker_hash.worker(b"") == worker_hash.worker(bytes(6)) == worker_hash.worker(bytes(16))
    assert worker_hash.worker(b"\x01\x02") == worker_hash.worker(b"\x01\x02\x00\x00\x00\x00")
    assert worker_hash.worker(b"\x01\x02\x03\x04\x05\x06\x07") == worker_hash.worker(
        b"\x01\x02\x03\x04\x05\x06"
    )


@pytest.fixture
def group() -> Iterator[list[socket.socket]]:
    """Four sockets of one address, the first bound so that no stranger could have had it."""
    made = [socket.socket(socket.AF_INET, socket.SOCK_DGRAM) for _ in range(4)]
    made[0].bind(("127.0.0.1", 0))
    made[0].setsockopt(socket.SOL_SOCKET, socket.SO_REUSEPORT, 1)
    for sock in made[1:]:
        sock.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEPORT, 1)
        sock.bind(made[0].getsockname())
    yield made
    for sock in made:
        sock.close()


def arrivals(group: list[socket.socket]) -> list[tuple[int, bytes]]:
    found = []
    while ready := select.select(group, [], [], 0.2)[0]:
        found += [(group.index(sock), sock.recv(2048)) for sock in ready]
    return found


def test_the_kernel_steers_as_the_worker_expects(group: list[socket.socket]) -> None:
    worker_hash = WorkerHash(RANDOM.getrandbits(32), len(group))
    worker_hash.attach(group[0])
    sent = [message(chaddr) for chaddr in addresses(200)]
    with socket.socket(socket.AF_INET, socket.SOCK_DGRAM) as client:
        for datagram in sent:
            client.sendto(datagram, group[0].getsockname())
    found = arrivals(group)
    assert len(found) == len(sent)
    assert {worker for worker, _ in found} == {0, 1, 2, 3}
    for worker, datagram in found:
        assert worker == worker_hash.worker(datagram[CHADDR : CHADDR + 6])


@pytest.mark.parametrize("length", [0, 1, CHADDR, CHADDR + 3, CHADDR + 5])
def test_what_is_too_short_goes_to_the_first_worker(group: list[socket.socket], length: int) -> None:
    WorkerHash(RANDOM.getrandbits(32), len(group)).attach(group[0])
    with socket.socket(socket.AF_INET, socket.SOCK_DGRAM) as client:
        for value in range(8):
            client.sendto(bytes([value + 1]) * length, group[0].getsockname())
    assert [worker for worker, _ in arrivals(group)] == [0] * 8


# --- DHCPv6: by the peer-address of the outermost relay, else by the source


def relayed(peer: IPv6Address, hops: int = 0) -> bytes:
    """A relay message (RFC 8415 section 9) from anywhere."""
    return bytes([RELAY_FORW, hops]) + RANDOM.randbytes(16) + peer.packed + RANDOM.randbytes(40)


def direct() -> bytes:
    """A SOLICIT, or another message of a client's."""
    return bytes([RANDOM.choice((1, 3, 5, 6, 8, 11, 36))]) + RANDOM.randbytes(60)


def header(source: IPv6Address) -> bytes:
    return RANDOM.randbytes(8) + source.packed + RANDOM.randbytes(16)


def addresses6(count: int) -> list[IPv6Address]:
    """Half of them neighbours: link-local, by EUI-64 of one vendor; half privacy addresses of one /64."""
    near = [IPv6Address(f"fe80::21c:42ff:fe{i >> 16:02x}:{i & 0xFFFF:x}") for i in range(count // 2)]
    site = int(IPv6Address("2001:db8:5::"))
    return near + [IPv6Address(site + RANDOM.getrandbits(64)) for _ in range(count // 2)]


@pytest.mark.parametrize("count", [1, 2, 3, 4, 7, 64])
def test_both_programs_compute_what_the_worker_computes(count: int) -> None:
    for seed in (0, MASK, RANDOM.getrandbits(32)):
        worker_hash = WorkerHash(seed, count, 6)
        program = worker_hash.program()
        assert len(program) <= LONGEST_PROGRAM
        for address in addresses6(1000):
            stranger = header(IPv6Address("2001:db8::ffff"))
            assert interpret(program, relayed(address), stranger) == worker_hash.worker(address.packed)
            assert interpret(program, direct(), header(address)) == worker_hash.worker(address.packed)


@pytest.mark.parametrize("count", [2, 3, 4])
def test_addresses_are_spread_evenly(count: int) -> None:
    found = addresses6(20_000)
    worker_hash = WorkerHash(RANDOM.getrandbits(32), count, 6)
    for part in (found[:10_000], found[10_000:]):
        served = Counter(worker_hash.worker(address.packed) for address in part)
        assert all(abs(served[worker] * count / 10_000 - 1) < 0.1 for worker in range(count)), served


def test_an_address_of_another_length_is_none() -> None:
    with pytest.raises(ValueError, match="16 octets"):
        WorkerHash(1, 2, 6).worker(bytes(15))


@pytest.fixture
def group6() -> Iterator[list[socket.socket]]:
    made = [socket.socket(socket.AF_INET6, socket.SOCK_DGRAM) for _ in range(4)]
    made[0].bind(("::1", 0))
    made[0].setsockopt(socket.SOL_SOCKET, socket.SO_REUSEPORT, 1)
    for sock in made[1:]:
        sock.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEPORT, 1)
        sock.bind(made[0].getsockname())
    yield made
    for sock in made:
        sock.close()


def test_the_kernel_steers_relayed_messages_by_their_peer_address(group6: list[socket.socket]) -> None:
    worker_hash = WorkerHash(RANDOM.getrandbits(32), len(group6), 6)
    worker_hash.attach(group6[0])
    sent = [relayed(address) for address in addresses6(200)]
    with socket.socket(socket.AF_INET6, socket.SOCK_DGRAM) as client:
        for datagram in sent:
            client.sendto(datagram, group6[0].getsockname())
    found = arrivals(group6)
    assert len(found) == len(sent)
    assert {worker for worker, _ in found} == {0, 1, 2, 3}
    for worker, datagram in found:
        assert worker == worker_hash.worker(datagram[18:34])


def test_the_kernel_steers_other_messages_by_their_source(group6: list[socket.socket]) -> None:
    """Each seed sends them all to the one worker that it names for ::1."""
    named = set()
    for seed in range(12):
        worker_hash = WorkerHash(seed, len(group6), 6)
        worker_hash.attach(group6[0])
        with socket.socket(socket.AF_INET6, socket.SOCK_DGRAM) as client:
            for datagram in (direct(), direct(), direct()[:1]):
                client.sendto(datagram, group6[0].getsockname())
        worker = worker_hash.worker(IPv6Address("::1").packed)
        assert [at for at, _ in arrivals(group6)] == [worker] * 3
        named.add(worker)
    assert len(named) > 1


@pytest.mark.parametrize("length", [0, 1, 17, 18, 33])
def test_a_relay_message_without_its_peer_address_goes_to_the_first_worker(
    group6: list[socket.socket], length: int
) -> None:
    WorkerHash(RANDOM.getrandbits(32), len(group6), 6).attach(group6[0])
    with socket.socket(socket.AF_INET6, socket.SOCK_DGRAM) as client:
        for address in addresses6(8):
            client.sendto(relayed(address)[:length], group6[0].getsockname())
    assert [worker for worker, _ in arrivals(group6)] == [0] * 8


def test_a_program_for_no_workers_is_refused(group: list[socket.socket]) -> None:
    with pytest.raises(OSError, match="takes no program"):
        WorkerHash(1, 0).attach(group[0])
