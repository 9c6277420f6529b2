"""The heap moves to huge pages where the kernel lets it, and what lies there stays as it was."""

import ctypes
import platform
import subprocess
import sys
from pathlib import Path

SWITCH = Path("/sys/kernel/mm/transparent_hugepage/enabled")
PIECE, PIECES = 4096, 16_384  # 64 MiB
FIRST_KERNEL = (6, 1)  # with MADV_COLLAPSE


def fill(pieces: int) -> list[int]:
    """So many pieces of the heap, each with its number in it."""
    malloc = ctypes.CDLL(None).malloc
    malloc.restype = ctypes.c_void_p
    places = [malloc(PIECE) for _ in range(pieces)]
    for number, place in enumerate(places):
        ctypes.memset(place, number % 251, PIECE)
    return places


def on_huge_pages() -> int:
    """Octets of the heap that the kernel has there."""
    total, in_heap = 0, False
    for line in Path("/proc/self/smaps").read_text().splitlines():
        name, *rest = line.split()
        if not name.endswith(":"):
            in_heap = line.endswith("[heap]")
        elif in_heap and name == "AnonHugePages:":
            total += int(rest[0]) * 1024
    return total


def look(pieces: int) -> tuple[int, int]:
    """What is said to be on huge pages, and what the kernel says."""
    from dhcp_fast.structures.heap import put_heap_on_huge_pages

    places = fill(pieces)
    said = put_heap_on_huge_pages()
    for number, place in enumerate(places):
        assert ctypes.string_at(place, PIECE) == bytes((number % 251,)) * PIECE
    return said, on_huge_pages()


def looked(pieces: int) -> tuple[int, int]:
    """In a process whose heap nobody else has filled."""
    code = f"from unit.structures.test_heap import look; print(*look({pieces}))"
    done = subprocess.run(
        [sys.executable, "-c", code], check=True, capture_output=True, text=True, cwd="tests"
    )
    said, found = map(int, done.stdout.split())
    return said, found


def can_move() -> bool:
    release = tuple(int(number) for number in platform.release().split("-")[0].split(".")[:2])
    return release >= FIRST_KERNEL and SWITCH.exists() and "[never]" not in SWITCH.read_text()


def test_a_large_heap_moves_and_stays_as_it_was() -> None:
    said, found = looked(PIECES)
    assert said == found
    assert (said >= PIECES * PIECE * 3 // 4) == can_move()


def test_a_small_heap_is_left_alone() -> None:
    said, _ = looked(16)
    assert said == 0
