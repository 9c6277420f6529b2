"""The kernel's BPF program and the workers' own arithmetic must name the same worker for every client."""

import random
import select
import socket
from collections import Counter
from collections.abc import Iterator

import pytest

from dhcp_fast.net.reuseport import WorkerHash

RANDOM = random.Random(21)
CHADDR = 28
LENGTH = 300
MASK = 0xFFFFFFFF


def interpret(program: list[tuple[int, int, int, int]], message: bytes) -> int:
    """Classic BPF as the kernel defines it (Documentation/networking/filter.rst), the part that is used here."""
    a, x, memory = 0, 0, [0] * 16
    for code, _, _, k in program:
        match code:
            case 0x20 | 0x28:  # ld, ldh: absolute
                width = 4 if code == 0x20 else 2
                if k + width > len(message):
                    return 0
                a = int.from_bytes(message[k : k + width], "big")
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


def test_a_program_for_no_workers_is_refused(group: list[socket.socket]) -> None:
    with pytest.raises(OSError, match="takes no program"):
        WorkerHash(1, 0).attach(group[0])
