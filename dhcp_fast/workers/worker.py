"""The DHCP server as one of several workers: its sockets are given to it, and a line to its supervisor.

Its engine has a share of the clients (sharing/lease_ownership.pxd); its supervisor does the duties of
the host (duties.py). It ends when its supervisor has gone.
"""

import asyncio
import socket
from collections.abc import Callable

import msgspec
import structlog

from dhcp_fast.server.held_sockets import HeldSockets
from dhcp_fast.server.link_watch import LinkWatch
from dhcp_fast.server.server import Server
from dhcp_fast.server.startup import Opened
from dhcp_fast.workers.channel import STATE, State, frame, frames
from dhcp_fast.workers.door import Door
from dhcp_fast.workers.duties import SupervisedDuties
from dhcp_fast.workers.sockets import Part
from ipam_core import faults
from ipam_core.db.outage import AWAY
from ipam_core.settings import Settings

STATE_SECONDS = 0.25

log = structlog.get_logger()


class WorkerServer:
    """Call `run` until canceled, or until the other end of `channel` is closed; raises the server's errors."""

    def __init__(
        self,
        settings: Settings,
        dsn: str,
        part: Part,
        channel: socket.socket,
        loaded: Callable[[], object] = lambda: None,
    ) -> None:
        self.channel = channel
        self.duties = SupervisedDuties(settings, part)
        self.door = part.door
        self.held = HeldSockets(part.sockets())
        page, frames = socket.socket(fileno=part.pages), part.frame_socket()
        opened = Opened(page, frames, self.held, LinkWatch(), part.query_listeners())
        self.server = Server(settings, dsn, self.duties, opened, loaded, part.family)

    async def run(self) -> None:
        reader, writer = await asyncio.open_connection(sock=self.channel)
        door = None if self.door is None else Door(socket.socket(fileno=self.door), self.held)
        serving = asyncio.create_task(self.server.run())
        told = asyncio.create_task(self.listen_to(reader))
        telling = asyncio.create_task(self.tell_state(writer))
        try:
            await asyncio.wait({serving, told}, return_when=asyncio.FIRST_COMPLETED)
        finally:
            serving.cancel()
            if door is not None:
                door.close()
            for task in (told, telling):
                task.cancel()
            await asyncio.gather(serving, told, telling, return_exceptions=True)
            writer.close()
        for task in (told, serving):
            if not task.cancelled():
                task.result()

    async def listen_to(self, reader: asyncio.StreamReader) -> None:
        async for kind, body in frames(reader):
            try:
                await self.duties.told(kind, body)
            except AWAY as error:
                log.warning("missed changes could not be read from the database", error=str(error))
            except Exception as error:  # noqa: BLE001 - the next window shows a gap, and is read by the worker itself
                faults.caught("messages of the supervisor", error)

    async def tell_state(self, writer: asyncio.StreamWriter) -> None:
        while True:
            stage = self.server.stage
            state = State(stage.not_ready(), stage.warnings(), stage.work())
            writer.write(frame(STATE, msgspec.json.encode(state)))
            await asyncio.sleep(STATE_SECONDS)
