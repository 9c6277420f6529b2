"""What a DHCP server shows over HTTP: /readyz, /healthz and /metrics, and to those on its own host /trace."""

import asyncio
from http import HTTPStatus
from typing import Protocol

import msgspec

from dhcp_fast import metrics, watching
from dhcp_fast.engine.core import Engine
from ipam_core import health
from ipam_core.errors import SettingsError
from ipam_core.settings import Endpoint


class Shown(metrics.Counted, Protocol):
    """What is asked of a server."""

    engine: Engine | None

    def not_ready(self) -> str: ...


async def serve(server: Shown, place: Endpoint) -> asyncio.Server:
    async def readyz() -> health.Answer:
        return ready(server)

    async def healthz() -> health.Answer:
        return health.Answer(HTTPStatus.OK, '{"alive":true}')

    async def numbers() -> health.Answer:
        return counted(server)

    pages: health.Pages = {"/readyz": readyz, "/healthz": healthz, "/metrics": numbers}
    try:
        return await health.serve(place, pages, {"/trace": watching.stream(lambda: server.engine)})
    except OSError as error:
        reason = (error.strerror or "").rpartition(": ")[2]  # asyncio names the address again before it
        raise SettingsError("health_listen", f"{place} cannot be served: {reason}") from None


def ready(server: Shown) -> health.Answer:
    reason = server.not_ready()
    body = msgspec.json.encode({"ready": not reason, "reason": reason}).decode()
    return health.Answer(HTTPStatus.SERVICE_UNAVAILABLE if reason else HTTPStatus.OK, body)


def counted(server: Shown) -> health.Answer:
    return health.Answer(HTTPStatus.OK, metrics.text(server), "text/plain; version=0.0.4")
