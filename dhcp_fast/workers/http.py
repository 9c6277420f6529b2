"""/readyz, /healthz, /metrics and /trace (/trace6) of a host with several workers.

The host is ready when all of its workers are. A worker's clients are always the same ones and no
other worker here serves them, so with one worker away a load balancer should prefer another host.
The reason names it.
"""

import asyncio
import contextlib
from collections.abc import AsyncGenerator, AsyncIterator, Callable, Sequence
from http import HTTPStatus
from urllib.parse import urlencode

import msgspec

from dhcp_fast.server.trace_stream import PATHS, refused
from dhcp_fast.server.wires import Wires
from dhcp_fast.workers.metrics import Ledger, Shown
from dhcp_fast.workers.process import Worker
from ipam_core.processes import health
from ipam_core.processes.health import Answer, HttpRequest, Refused
from ipam_core.processes.local_access import refusal
from ipam_core.setting_values import Endpoint

LOOK_SECONDS = 0.1
OPEN_SECONDS = 2.0


class HostPages:
    """Pages of the supervisor, made of its workers' messages."""

    def __init__(
        self, workers: Sequence[Worker], kernel_drops: Callable[[], int], wires: Wires, family: int = 4
    ) -> None:
        self.workers = workers
        self.wires = wires
        self.kernel_drops = kernel_drops
        self.trace_path = PATHS[family]
        self.ledger = Ledger(family)

    async def serve(self, endpoint: Endpoint) -> asyncio.Server:
        pages = health.process_pages(self.readyz, self.metrics)
        return await health.listen(endpoint, pages, {self.trace_path: self.trace})

    def not_ready(self) -> str:
        """Return why nobody is served at all; else of the first worker that is not ready, and how many more there are;
        empty when all are."""
        if reason := self.wires.not_ready():
            return reason
        reasons = [
            f"worker {worker.index}: {reason}" for worker in self.workers if (reason := worker.not_ready())
        ]
        if len(reasons) > 1:
            return f"{reasons[0]} (and {len(reasons) - 1} more)"
        return reasons[0] if reasons else ""

    def warnings(self) -> list[str]:
        """Return the host's own, and each of its workers' once."""
        told = [warning for worker in self.workers for warning in worker.warnings]
        return list(dict.fromkeys([*self.wires.warnings(), *told]))

    async def readyz(self) -> Answer:
        return health.readiness(self.not_ready(), self.warnings())

    async def metrics(self) -> Answer:
        answers = await asyncio.gather(*map(self.page_of, self.workers))
        texts = {worker.index: text for worker, text in zip(self.workers, answers, strict=True) if text}
        shown = [Shown(worker.index, worker.alive, worker.restarts) for worker in self.workers]
        page = self.ledger.join(texts, shown, self.kernel_drops())
        return health.numbers(page)

    async def page_of(self, worker: Worker) -> str:
        """Return the page; empty when the process does not answer, or is another process by the time that it does."""
        if not worker.alive:
            return ""
        restarts = worker.restarts
        answer = await health.ask(worker.page, "/metrics")
        return answer[1] if answer and worker.alive and worker.restarts == restarts else ""

    async def trace(self, request: HttpRequest) -> AsyncGenerator[str, None]:
        """Yield all workers' traces of the client as one: it may be known by its client id alone, which names no
        worker."""
        if reason := refusal(request):
            raise refused(HTTPStatus.FORBIDDEN, reason)
        said: asyncio.Queue[str | Refused] = asyncio.Queue(maxsize=len(self.workers))
        target = f"{self.trace_path}?{urlencode(request.query)}"
        readers = [asyncio.create_task(follow(worker, target, said)) for worker in self.workers]
        try:
            told = [answer_text(await said.get()) for worker in self.workers if not worker.not_ready()]
            yield "".join(told)  # from now on nothing is missed
            while True:
                yield await next_of(said)
        finally:
            for reader in readers:
                reader.cancel()
            await asyncio.gather(*readers, return_exceptions=True)


async def next_of(said: asyncio.Queue[str | Refused]) -> str:
    """Return the next message; empty after a moment, so that a client that disconnected is noticed."""
    try:
        async with asyncio.timeout(LOOK_SECONDS):
            return answer_text(await said.get())
    except TimeoutError:
        return ""


def answer_text(told: str | Refused) -> str:
    """Raise a refusal."""
    if isinstance(told, Refused):
        raise told
    return told


async def follow(worker: Worker, target: str, said: asyncio.Queue[str | Refused]) -> None:
    """Follow the worker's trace at `target`, and that of the process that comes after it, each after an empty line; or
    its refusal."""
    began = False
    while True:
        if not worker.not_ready():
            try:
                async with opened(worker.page, target) as trace:
                    began = True
                    await said.put("")
                    await pass_on(trace, said)
            except Refused as refusal:
                await said.put("" if began else refusal)
            except (OSError, TimeoutError, asyncio.IncompleteReadError):
                await said.put("")  # it has ended, or hangs
        await asyncio.sleep(LOOK_SECONDS)


@contextlib.asynccontextmanager
async def opened(endpoint: Endpoint, target: str) -> AsyncIterator[asyncio.StreamReader]:
    """Open the worker's trace for the same client, behind its head; raises Refused where the worker does."""
    reader, writer = await asyncio.open_connection(endpoint.host, endpoint.port)
    try:
        writer.write(f"GET {target} HTTP/1.1\r\nHost: {endpoint}\r\n\r\n".encode())
        async with asyncio.timeout(OPEN_SECONDS):
            head = await reader.readuntil(b"\r\n\r\n")
        status = HTTPStatus(int(head.split(b" ", 2)[1]))
        if status != HTTPStatus.OK:
            raise refused(status, str(msgspec.json.decode(await reader.read())["error"]))
        yield reader
    finally:
        writer.close()


async def pass_on(trace: asyncio.StreamReader, said: asyncio.Queue[str | Refused]) -> None:
    """Pass on each chunk, which holds whole lines, until the worker ends it."""
    while size := int(await trace.readuntil(b"\r\n"), 16):
        await said.put((await trace.readexactly(size + 2))[:size].decode())
