"""Watch of the host's interfaces: followers are called within a moment of each change (decisions:
Interfaces).

An announcement of the kernel only means that something changed: all interfaces are read again, and
each follower is called. They are also called every few seconds, so that failures are retried.
"""

import asyncio
import time
from collections.abc import Callable

from dhcp_fast.net import netlink
from dhcp_fast.net.links import Links, read_links
from ipam_core import faults

FIRST_PAUSE = 0.05  # simultaneous changes are read together
LONGEST_PAUSE = 1.0  # between two readings of what keeps changing
CALM_SECONDS = 5.0
AGAIN_SECONDS = 5.0
SHARE = 20  # there is no reading for so many times the processor time of the last one

Follower = Callable[[Links], None]


class LinkWatch:
    """`links` as they are now, from `run` on. A follower has a name, by which another takes its place."""

    def __init__(self) -> None:
        self.announcements = netlink.subscribe()
        self.links = read_links()
        self.followers: dict[str, Follower] = {}
        self.pause = FIRST_PAUSE
        self.changed_at = 0.0
        self.spent = 0.0

    def follow(self, name: str, follower: Follower) -> None:
        """Call it now, and from now on."""
        self.followers[name] = follower
        follower(self.links)

    async def run(self) -> None:
        try:
            while True:
                try:
                    await self.announced()
                    await asyncio.sleep(max(self.pause, SHARE * self.spent))
                    netlink.drain(self.announcements)
                    await self.look()
                except Exception as error:  # noqa: BLE001 - it is tried again
                    faults.caught("interfaces", error)
                    await asyncio.sleep(LONGEST_PAUSE)
        finally:
            self.announcements.close()

    async def announced(self) -> None:
        """Wait for the next announcement, for a few seconds at most.

        Nothing is read meanwhile: announcements that do not fit into the socket are lost, and the
        resulting error counts as one.
        """
        loop = asyncio.get_running_loop()
        waiting = asyncio.Event()
        loop.add_reader(self.announcements.fileno(), waiting.set)
        try:
            async with asyncio.timeout(AGAIN_SECONDS):
                await waiting.wait()
        except TimeoutError:
            pass
        finally:
            loop.remove_reader(self.announcements.fileno())

    async def look(self) -> None:
        """Read all, and call the followers. Raises OSError."""
        began = time.monotonic()
        links, self.spent = await asyncio.to_thread(read_measured)
        self.note(changed=links != self.links, now=began)
        self.links = links
        for name, follower in list(self.followers.items()):
            try:
                follower(links)
            except Exception as error:  # noqa: BLE001 - the others are told, and it is called again
                faults.caught(f"interfaces: {name}", error)

    def note(self, *, changed: bool, now: float) -> None:
        """Note a change; an entry that keeps changing is read less and less often."""
        if changed:
            self.pause = min(self.pause * 2, LONGEST_PAUSE)
            self.changed_at = now
        elif now - self.changed_at > CALM_SECONDS:
            self.pause = FIRST_PAUSE


def read_measured() -> tuple[Links, float]:
    """Return all interfaces, and the seconds of processor time that reading them took. Raises OSError.

    Call it in a thread: the kernel has one lock for the interfaces of all network namespaces, and a reading waits for
    it while containers start and end. That wait is not counted. It costs nothing, and a pause that grew with it would
    leave a new interface unserved for long.
    """
    began = time.thread_time()
    links = read_links()
    return links, time.thread_time() - began
