"""CPU accounting from /proc, tried on children that burn a known amount."""

import os
import socket
import subprocess
import sys
from contextlib import suppress

from dhcp_fast.bench.servers.processes import cpu_seconds, family, lost_datagrams, memory

BURN = "import time\nwhile time.process_time() < 0.3: pass\n"
PARENT = f"""
import subprocess, sys
subprocess.run([sys.executable, "-c", {BURN!r}])
running = subprocess.Popen([sys.executable, "-c", {BURN!r} + "print('done', flush=True)\\ninput()"],
                           stdin=subprocess.PIPE)
running.wait()
"""


def test_counts_children_that_live_and_children_that_ended() -> None:
    parent = subprocess.Popen([sys.executable, "-c", PARENT], stdin=subprocess.PIPE, stdout=subprocess.PIPE)
    try:
        assert parent.stdout is not None
        assert parent.stdout.readline() == b"done\n"
        assert len(family(parent.pid)) == 2
        assert 0.55 <= cpu_seconds([parent.pid]) < 5
    finally:
        for pid in family(parent.pid):
            with suppress(ProcessLookupError):  # the child ends by itself when its parent's pipe closes
                os.kill(pid, 9)
        parent.wait()
        parent.stdout.close()
        parent.stdin.close()


def test_a_process_that_is_gone_costs_nothing() -> None:
    gone = subprocess.Popen([sys.executable, "-c", ""])
    gone.wait()
    assert cpu_seconds([gone.pid]) == 0


def test_memory_is_the_familys() -> None:
    """A child that takes 40 MB more is counted with its parent, and all of it is its own."""
    before = memory([os.getpid()])
    grow = "data = bytearray(b'x') * 40_000_000\nprint('done', flush=True)\ninput()"
    child = subprocess.Popen(
        [sys.executable, "-c", grow], stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True
    )
    assert child.stdout is not None
    assert child.stdout.readline() == "done\n"
    after = memory([os.getpid()])
    child.communicate("\n")
    assert after["private"] - before["private"] > 38_000_000
    assert after["pss"] >= after["private"]
    assert memory([child.pid]) == {"pss": 0, "private": 0}


def test_what_a_full_socket_lost() -> None:
    with (
        socket.socket(socket.AF_INET, socket.SOCK_DGRAM) as full,
        socket.socket(socket.AF_INET, socket.SOCK_DGRAM) as sender,
    ):
        full.setsockopt(socket.SOL_SOCKET, socket.SO_RCVBUF, 4096)
        full.bind(("127.0.0.1", 0))
        assert lost_datagrams(full.getsockname()[1]) == 0
        for _ in range(100):
            sender.sendto(bytes(500), full.getsockname())
        full.setblocking(False)
        received = 0
        while waiting(full):
            received += 1
        assert lost_datagrams(full.getsockname()[1]) == 100 - received > 0


def waiting(full: socket.socket) -> bytes:
    try:
        return full.recv(1000)
    except BlockingIOError:
        return b""
