"""Pages of a DHCP server: /readyz, /healthz and /metrics, and /trace (/trace6) for its own host."""

import asyncio
import socket
from collections.abc import Callable
from typing import Protocol

from dhcp_fast.engine.engine import Engine
from dhcp_fast.server import metrics, trace_stream
from ipam_core.processes import health
from ipam_core.setting_values import Endpoint


class Shown(metrics.Counted, Protocol):
    """State of a server for its pages, at any stage. `traced` raises Refused while there is no engine."""

    def traced(self) -> Engine: ...
    def not_ready(self) -> str: ...
    def warnings(self) -> list[str]: ...


async def serve(
    stage: Callable[[], Shown], endpoint: Endpoint | socket.socket, family: int = 4
) -> asyncio.Server:
    """Serve the pages of whatever `stage` gives when somebody asks; raises SettingsError where the address cannot be
    had."""

    async def readyz() -> health.Answer:
        return ready(stage())

    async def numbers() -> health.Answer:
        return counted(stage())

    streams = {trace_stream.PATHS[family]: trace_stream.stream(lambda: stage().traced())}
    return await health.listen(endpoint, health.process_pages(readyz, numbers), streams)


def ready(server: Shown) -> health.Answer:
    return health.readiness(server.not_ready(), server.warnings())


def counted(server: Shown) -> health.Answer:
    return health.numbers(metrics.text(server))
