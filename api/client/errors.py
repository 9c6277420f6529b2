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
    """All faults of the request's body, if the caller knows more than the first one."""
    advice: str = ""
    """How to fix it."""


def error_of(response: httpx.Response) -> ApiError:
    """Return the envelope's error. An answer without an envelope, as of a proxy, is reported by its status."""
    try:
        error = response.json()["error"]
        return ApiError(
            response.status_code,
            error["code"],
            error["message"],
            details if isinstance(details := error.get("details"), dict) else None,
            error["request_id"],
        )
    except (ValueError, KeyError, TypeError):
        return ApiError(response.status_code, "unknown", response.reason_phrase or "no envelope", None, "-")


def foreign(reason: str, status: int = 200) -> ApiError:
    """Return the error of a successful answer that no server of this API sends."""
    return ApiError(status, "unknown", f"{reason}; check the address of the API", None, "-")
