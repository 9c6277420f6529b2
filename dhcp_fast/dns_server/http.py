"""Pages of a DNS server over HTTP: /readyz, /healthz and /metrics."""

import asyncio
from collections.abc import Callable, Sequence
from http import HTTPStatus
from typing import Protocol

import msgspec

from ipam_core.errors import unserved
from ipam_core.processes import health
from ipam_core.setting_values import Endpoint


class Shown(Protocol):
    """`warnings` do not make the server unready: it answers."""

    def not_ready(self) -> str: ...
    def warnings(self) -> Sequence[str]: ...


async def serve(server: Shown, numbers: Callable[[], str], endpoint: Endpoint) -> asyncio.Server:
    """Raise SettingsError where the address cannot be had."""

    async def readyz() -> health.Answer:
        why = server.not_ready()
        body = {"ready": not why, "reason": why, "warnings": list(server.warnings())}
        status = HTTPStatus.SERVICE_UNAVAILABLE if why else HTTPStatus.OK
        return health.Answer(status, msgspec.json.encode(body).decode())

    async def healthz() -> health.Answer:
        return health.Answer(HTTPStatus.OK, '{"alive":true}')

    async def metrics() -> health.Answer:
        return health.Answer(HTTPStatus.OK, numbers(), "text/plain; version=0.0.4")

    pages: health.Pages = {"/readyz": readyz, "/healthz": healthz, "/metrics": metrics}
    try:
        return await health.serve(endpoint, pages)
    except OSError as error:
        why = (error.strerror or "").rpartition(": ")[2]
        raise unserved("health_listen", f"{endpoint} cannot be served: {why}", error) from None
