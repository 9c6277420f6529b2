"""Errors between a client and the API, as exceptions with a text of one line."""

from dataclasses import dataclass, field
from typing import Any

import httpx

from ipam_core.errors import IpamError


@dataclass(eq=False)
class ConnectionFailed(IpamError):
    """The API at {url} cannot be reached: {reason}"""

    url: str
    reason: str


@dataclass(eq=False)
class ApiError(IpamError):
    """{message} ({status} {error_code}, request {request_id})"""

    status: int
    error_code: str
    message: str
    details: dict[str, Any] | None
    request_id: str
    faults: list[str] = field(default_factory=list)
    """All that is wrong with the request's body, where whoever sent it knows."""
    advice: str = ""
    """Where the mend lies."""


def error_of(response: httpx.Response) -> ApiError:
    """Return the envelope's error; what is no envelope (a proxy between) is told by its status."""
    try:
        error = response.json()["error"]
        return ApiError(
            response.status_code,
            error["code"],
            error["message"],
            error.get("details"),
            error["request_id"],
        )
    except (ValueError, KeyError, TypeError):
        return ApiError(response.status_code, "unknown", response.reason_phrase or "no envelope", None, "-")
