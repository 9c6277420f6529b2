"""The process that `ipam dhcp` starts when there are several workers.

It opens every socket before anything else, starts the workers, keeps them, and answers for all of them at the health
address. It serves no client and keeps no lease. The workers end with it: it asks them to, and the kernel kills them
when it dies (PR_SET_PDEATHSIG).
"""

import asyncio
from collections.abc import Callable

from dhcp_fast.server.link_watch import LinkWatch
from dhcp_fast.server.wires import Wires
from dhcp_fast.workers.host import Host
from dhcp_fast.workers.http import HostPages
from dhcp_fast.workers.process import Worker
from dhcp_fast.workers.sockets import Sockets
from ipam_core.processes import notify
from ipam_core.setting_values import INNER_HOST, Endpoint
from ipam_core.settings import Settings, environment


class Supervisor:
    """Call `run` until canceled; raises SettingsError if the settings do not permit serving."""

    def __init__(self, settings: Settings, dsn: str, loaded: Callable[[], object], family: int = 4) -> None:
        self.settings = settings
        self.loaded = loaded
        self.watch = LinkWatch()
        self.sockets = Sockets(settings, family, self.watch.links)
        self.wires = Wires(settings, family, self.sockets, self.watch.links)
        told = environment(settings)
        self.workers = [
            Worker(index, Endpoint(INNER_HOST, port), self.sockets.part, told, self.introduce)
            for index, port in enumerate(self.sockets.page_ports())
        ]
        self.pages = HostPages(self.workers, self.sockets.kernel_drops, self.wires, family)
        self.host = Host(settings, dsn, self.workers, self.pages, family)
        self.sockets.changed = self.hand_out
        self.watch.follow("sockets", self.wires.follow)
        self.watch.follow("host", self.host.heartbeat.follow)
        for worker in self.workers:
            worker.ended = self.pages.ledger.ended

    def hand_out(self, place: int) -> None:
        """Give each worker its socket of those that are new in a place."""
        for worker in self.workers:
            worker.hand_in(place, self.sockets.descriptor(place, worker.index))

    def introduce(self, worker: Worker) -> None:
        self.host.introduce(worker)

    async def run(self) -> None:
        shown = await self.pages.serve(self.settings.health_listen)
        notify.ready()
        self.loaded()
        keeping, host = asyncio.create_task(self.keep()), asyncio.create_task(self.host.run())
        following = asyncio.create_task(self.watch.run())
        try:
            done, _ = await asyncio.wait({keeping, host}, return_when=asyncio.FIRST_COMPLETED)
            for task in done:
                task.result()
        finally:
            following.cancel()
            shown.close()
            await self.end(keeping, host)

    async def keep(self) -> None:
        async with asyncio.TaskGroup() as tasks:
            for worker in self.workers:
                tasks.create_task(worker.keep())

    async def end(self, keeping: "asyncio.Task[None]", host: "asyncio.Task[None]") -> None:
        """Start nobody again, stop all."""
        keeping.cancel()
        await asyncio.gather(keeping, return_exceptions=True)
        host.cancel()
        await asyncio.gather(*(worker.stop() for worker in self.workers))
        await asyncio.gather(host, return_exceptions=True)
        self.sockets.close()
