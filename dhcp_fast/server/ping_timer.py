"""The ping check on the event loop: its socket, and the timer that runs while requests are out.

The raw socket is opened when the first subnet asks for the check, so a server that checks nothing needs no right to
it. Where it cannot be had, that is said once and counted (`ipam_dhcp4_offers_unchecked`), and offers go out unchecked.
"""

import asyncio
from collections.abc import Callable, Iterable

import structlog

from dhcp_fast.engine import ping_replies
from dhcp_fast.engine.engine import Engine
from dhcp_fast.net.icmp import IcmpSocket
from dhcp_fast.plan.compile import ServedView

SHORTEST_SECONDS = 0.005  # between two looks at the requests whose time is over

log = structlog.get_logger()


class PingTimer:
    """`serve` an engine, `watch` after it decided packets, `close` at the end. `kick` is called when
    answers to pings let offers leave or have addresses quarantined."""

    def __init__(self, milliseconds: int) -> None:
        self.milliseconds = milliseconds
        self.kick: Callable[[], object] = lambda: None
        self.checked: list[Engine] = []  # one as soon as a subnet asks for the check
        self.socket: IcmpSocket | None = None
        self.timer: asyncio.TimerHandle | None = None
        self.refused = False

    def serve(self, engine: Engine, subnets: Iterable[ServedView]) -> None:
        """Check for this engine as soon as one of its subnets asks for it."""
        if engine in self.checked or not any(subnet.ping_check for subnet in subnets):
            return
        self.socket = self.socket or self.open()
        if self.socket is not None:
            ping_replies.begin(engine, self.socket, self.milliseconds)
            self.checked = [engine]
            asyncio.get_running_loop().add_reader(self.socket.fd, self.readable, engine)

    def open(self) -> IcmpSocket | None:
        try:
            return IcmpSocket()
        except OSError as error:
            if not self.refused:
                log.warning(
                    "ping_check is enabled, but addresses cannot be pinged: grant CAP_NET_RAW, or disable ping_check",
                    error=error.strerror or str(error),
                )
            self.refused = True
            return None

    def readable(self, engine: Engine) -> None:
        ping_replies.receive(engine)
        self.kick()
        self.watch()

    def watch(self) -> None:
        """Schedule a look for the time at which the oldest request expires, if there is one."""
        for engine in self.checked if self.timer is None else ():
            seconds = ping_replies.due_in(engine)
            if seconds is not None:
                loop = asyncio.get_running_loop()
                self.timer = loop.call_later(max(seconds, SHORTEST_SECONDS), self.lapse, engine)

    def lapse(self, engine: Engine) -> None:
        self.timer = None
        ping_replies.lapse(engine)
        self.kick()
        self.watch()

    def close(self) -> None:
        if self.timer is not None:
            self.timer.cancel()
        if self.socket is not None:
            asyncio.get_running_loop().remove_reader(self.socket.fd)
            self.socket.close()
