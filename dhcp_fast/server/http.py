"""Pages of a DHCP server: /readyz, /healthz and /metrics, and /trace (/trace6) for its own host."""

import asyncio
import socket
from collections.abc import Callable, Sequence
from http import HTTPStatus
from typing import Protocol

import msgspec

from dhcp_fast.engine.engine import Engine
from dhcp_fast.server import metrics, trace_stream
from ipam_core.errors import unserved
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

    async def healthz() -> health.Answer:
        return health.Answer(HTTPStatus.OK, '{"alive":true}')

    async def numbers() -> health.Answer:
        return counted(stage())

    pages: health.Pages = {"/readyz": readyz, "/healthz": healthz, "/metrics": numbers}
    return await answer_at(
        endpoint, pages, {trace_stream.PATHS[family]: trace_stream.stream(lambda: stage().traced())}
    )


async def answer_at(
    endpoint: Endpoint | socket.socket, pages: health.Pages, streams: health.Streams
) -> asyncio.Server:
    """Raise SettingsError where the address cannot be had."""
    try:
        return await health.serve(endpoint, pages, streams)
    except OSError as error:
        reason = (error.strerror or "").rpartition(": ")[2]  # asyncio names the address again before it
        raise unserved("health_listen", f"{endpoint} cannot be served: {reason}", error) from None


def ready(server: Shown) -> health.Answer:
    return readiness(server.not_ready(), server.warnings())


def readiness(reason: str, warnings: Sequence[str] = ()) -> health.Answer:
    """Return whether it is ready. `warnings` are what will make the server unready if nobody sees to it."""
    body = msgspec.json.encode({"ready": not reason, "reason": reason, "warnings": list(warnings)}).decode()
    return health.Answer(HTTPStatus.SERVICE_UNAVAILABLE if reason else HTTPStatus.OK, body)


def counted(server: Shown) -> health.Answer:
    return health.Answer(HTTPStatus.OK, metrics.text(server), "text/plain; version=0.0.4")
