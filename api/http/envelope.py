"""The envelope of every error."""

from typing import Any

import msgspec


class Error(msgspec.Struct, kw_only=True, frozen=True):
    code: str
    message: str
    details: dict[str, Any] | msgspec.UnsetType = msgspec.UNSET
    request_id: str


class ErrorEnvelope(msgspec.Struct, frozen=True):
    error: Error
