"""A DHCP server process of one family: it starts up, then it serves until its end, and reports its stage."""

import asyncio
from collections.abc import Callable

from dhcp_fast.database.connections import Connections, open_pools
from dhcp_fast.server import http
from dhcp_fast.server.duties import HostDuties, OwnHost
from dhcp_fast.server.serving import Serving
from dhcp_fast.server.startup import Opened, Startup, open_all
from ipam_core.db.pulse import pulse
from ipam_core.processes import notify
from ipam_core.settings import Settings

DEREGISTER_SECONDS = 1.0


class Server:
    """Call `run` until canceled; raises SettingsError if the settings do not permit serving.

    `loaded` is called when configuration and leases are in memory.
    """

    def __init__(
        self,
        settings: Settings,
        dsn: str,
        duties: HostDuties | None = None,
        opened: Opened | None = None,
        loaded: Callable[[], object] = lambda: None,
        family: int = 4,
    ) -> None:
        self.dsn = dsn
        self.family = family
        self.duties = duties or OwnHost(settings, family)
        self.opened = opened or open_all(settings, family)
        self.loaded = loaded
        self.startup = Startup(settings, dsn, self.duties, self.opened, family)
        self.stage: Startup | Serving = self.startup

    async def run(self) -> None:
        shown = await http.serve(lambda: self.stage, self.opened.page, self.family)
        notify.ready()
        connections = await open_pools(self.dsn)
        work = asyncio.create_task(self.work(connections))
        following = asyncio.create_task(self.opened.watch.run())
        try:
            await asyncio.shield(work)
        finally:
            following.cancel()
            shown.close()
            await self.end(work, connections)

    async def work(self, connections: Connections) -> None:
        async with pulse(self.dsn):  # the change listener has its own
            loaded = await self.startup.read(connections)
        self.loaded()
        self.stage = serving = Serving(self.startup, connections, loaded)
        await serving.run()

    async def end(self, work: "asyncio.Task[None]", connections: Connections) -> None:
        """Stop: receive no more, deregister, close the sessions, and only then end the work.

        A loop that is canceled during a statement waits for its end, and PostgreSQL may hang.
        """
        self.stage.close()
        leaving = asyncio.create_task(self.duties.deregister(connections.feed))
        await asyncio.wait({leaving}, timeout=DEREGISTER_SECONDS)
        connections.terminate()
        work.cancel()
        await asyncio.gather(leaving, work, return_exceptions=True)
        self.opened.close()
