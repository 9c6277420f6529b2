"""A wire that a test may cut without anybody being told, and this process at either end of it."""

import ctypes
import os
from collections.abc import Iterator
from contextlib import AbstractContextManager, contextmanager
from typing import Self

from system.namespaces import Namespace, Network

CLONE_NEWNET = 0x40000000
FAR, NEAR = "10.99.0.1", "10.99.0.2"


class Wire:
    """Two namespaces with a wire between them, entered by turns."""

    def __enter__(self) -> Self:
        self.network = Network().__enter__()
        self.ends = self.network.namespace("far"), self.network.namespace("near")
        self.network.join(self.ends[0], "f0", self.ends[1], "n0")
        self.ends[0].address("f0", f"{FAR}/24")
        self.ends[1].address("n0", f"{NEAR}/24")
        return self

    def __exit__(self, *_: object) -> None:
        self.network.__exit__(None, None, None)

    def far(self) -> AbstractContextManager[None]:
        return inside(self.ends[0])

    def near(self) -> AbstractContextManager[None]:
        return inside(self.ends[1])

    def cut(self) -> None:
        """Packets go out and vanish; that the other end has no address any more is what nobody says."""
        far, near = self.ends
        address = far.ip("-o", "link", "show", "f0").partition("link/ether ")[2].split()[0]
        near.ip("neigh", "replace", FAR, "lladdr", address, "dev", "n0", "nud", "permanent")
        far.ip("route", "replace", "blackhole", f"{NEAR}/32")


@contextmanager
def inside(namespace: Namespace) -> Iterator[None]:
    """This thread, and all that it starts, on the namespace's network. (setns of a user namespace would need a process
    of one thread, so this is root's.)"""
    before = os.open("/proc/thread-self/ns/net", os.O_RDONLY)
    try:
        enter(os.open(f"/proc/{namespace.holder}/ns/net", os.O_RDONLY))
        yield
    finally:
        enter(before)


def enter(network: int) -> None:
    try:
        if ctypes.CDLL(None, use_errno=True).setns(network, CLONE_NEWNET) != 0:
            raise OSError(ctypes.get_errno(), "setns")
    finally:
        os.close(network)
