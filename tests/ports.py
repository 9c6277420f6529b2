"""Ports for servers that tests start and that must know theirs before they bind it.

They lie below the kernel's own range: a port of that one, found free, may be some connection's before the server that
was told of it has started. A process that finds a port keeps it until it ends: a server that is killed and started
again finds its port free, also while other processes look for ports.
"""

import contextlib
import fcntl
import os
import socket
import tempfile
from collections.abc import Iterable, Iterator
from itertools import cycle, islice
from pathlib import Path

from ipam_core.setting_values import Endpoint

PORTS = range(10_000, 32_000)
APART = 997  # ports between the beginnings of processes that follow one another
LOOPBACK = {"127.0.0.1", "::1"}
CLAIMS = Path(tempfile.gettempdir()) / f"ipam-test-ports-{os.getuid()}"
"""One file for all processes of this account: the byte at a port's number is locked by the process that has it."""


def from_ours() -> Iterator[int]:
    begin = os.getpid() * APART % len(PORTS)
    return islice(cycle(PORTS), begin, None)


candidates = from_ours()
claims = CLAIMS.open("wb")  # closing it would give up all of this process's locks


def free_port(*hosts: str) -> int:
    """One that neither UDP nor TCP uses at these addresses and on both families' loopback."""
    return next(port for port in candidates if is_claimed(port) and is_free(port, LOOPBACK.union(hosts)))


def free_endpoint(host: str = "127.0.0.1") -> Endpoint:
    return Endpoint(host, free_port(host))


def is_claimed(port: int) -> bool:
    """Whether the port is this process's own from now on."""
    try:
        fcntl.lockf(claims, fcntl.LOCK_EX | fcntl.LOCK_NB, 1, port)
    except OSError:
        return False
    return True


def is_free(port: int, hosts: Iterable[str]) -> bool:
    with contextlib.ExitStack() as held:
        try:
            for host in hosts:
                family = socket.AF_INET6 if ":" in host else socket.AF_INET
                for kind in (socket.SOCK_STREAM, socket.SOCK_DGRAM):
                    held.enter_context(socket.socket(family, kind)).bind((host, port))
        except OSError:
            return False
        return True
