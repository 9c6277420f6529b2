"""Ports for servers that tests start and that must know theirs before they bind it.

They lie below the kernel's own range: a port of that one, found free, may be some connection's before the server that
was told of it has started. Each process of a run begins elsewhere and goes on from there, so that two of them do not
find the same one.
"""

import contextlib
import os
import socket
from collections.abc import Iterable, Iterator
from itertools import cycle, islice

from ipam_core.setting_values import Endpoint

PORTS = range(10_000, 32_000)
APART = 997  # ports between the beginnings of processes that follow one another
LOOPBACK = {"127.0.0.1", "::1"}


def from_ours() -> Iterator[int]:
    begin = os.getpid() * APART % len(PORTS)
    return islice(cycle(PORTS), begin, None)


candidates = from_ours()


def free_port(*hosts: str) -> int:
    """One that neither UDP nor TCP uses at these addresses and on both families' loopback."""
    return next(port for port in candidates if is_free(port, LOOPBACK.union(hosts)))


def free_endpoint(host: str = "127.0.0.1") -> Endpoint:
    return Endpoint(host, free_port(host))


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
