"""Every failure as one envelope: `{"error": {"code", "message", "details"?, "request_id"}}`.

One table maps codes to statuses. The framework's own refusals and a database that is away are errors of ours
before they leave; whatever is none of these is a defect, logged with its trace and shown to nobody.
"""

from typing import Any

import asyncpg
import msgspec
import structlog
from litestar.exceptions import HTTPException

from api.http.envelope import Error, ErrorEnvelope
from ipam_core import faults
from ipam_core.db.outage import reason
from ipam_core.errors import Contended, IpamError, Unavailable
from ipam_core.model.families import FAMILIES
from ipam_core.settings import BASE_PATH

log = structlog.get_logger("api")

STATUS = {
    "bad_request": 400,
    "unauthorized": 401,
    "license_limit": 402,
    "forbidden": 403,
    "not_found": 404,
    "method_not_allowed": 405,
    "conflict": 409,
    "limit_reached": 409,
    "idempotency_in_progress": 409,
    "precondition_failed": 412,
    "payload_too_large": 413,
    "unsupported_media_type": 415,
    "validation_error": 422,
    "idempotency_key_reused": 422,
    "rate_limited": 429,
    "internal_error": 500,
    "unavailable": 503,
}

FRAMEWORK = {
    400: ("bad_request", "the request is malformed"),
    404: ("not_found", "there is nothing at this path"),
    405: ("method_not_allowed", "this path does not support the method"),
    413: ("payload_too_large", "the body is too large"),
    415: ("unsupported_media_type", "the content type of the body must be application/json"),
}

# The database is away, going, coming, full, or took too long: try again, it is not the request.
AWAY = (
    OSError,
    TimeoutError,
    asyncpg.PostgresConnectionError,
    asyncpg.InvalidAuthorizationSpecificationError,
    asyncpg.InvalidCatalogNameError,
    asyncpg.OperatorInterventionError,
    asyncpg.InsufficientResourcesError,
    asyncpg.ReadOnlySQLTransactionError,
    asyncpg.IdleInTransactionSessionTimeoutError,
    asyncpg.InterfaceError,
    asyncpg.InternalClientError,
    asyncpg.TargetServerAttributeNotMatched,
)

# The database is there; other writers were in the way.
CONTENDED = (asyncpg.DeadlockDetectedError, asyncpg.SerializationError, asyncpg.LockNotAvailableError)


class Answer(msgspec.Struct, frozen=True):
    """A response before it is one: what idempotency keeps and the gate sends."""

    status: int
    body: bytes
    headers: dict[str, str]


def answer(error: Exception, request_id: str, method: str = "", path: str = "") -> Answer:
    """Return the response to a failure of the request with this method and path."""
    if isinstance(error, HTTPException):
        code, message = FRAMEWORK.get(error.status_code, ("internal_error", "the request failed"))
        if code == "method_not_allowed" and method == "POST":
            message += elsewhere(path)
        allowed = (error.headers or {}).get("allow", "")
        return envelope(code, message, None, request_id, {"allow": served(allowed)} if allowed else {})
    found = known(error, request_id)
    return envelope(found.code, str(found), details_of(found), request_id, headers_of(found))


def elsewhere(path: str) -> str:
    """Return where objects of the collection at `path` are created, if that is below others only."""
    family = FAMILIES.get(path.removeprefix(f"{BASE_PATH}/"))
    paths = [f"{BASE_PATH}{each}" for each in family.nested_paths] if family else []
    return f"; send POST to {' or '.join(paths)}" if paths else ""


def served(allowed: str) -> str:
    """Return the framework's Allow without OPTIONS, which is refused, and with HEAD, which is served wherever GET is
    (RFC 9110 section 9.3.2)."""
    methods = {method.strip() for method in allowed.split(",")} - {"OPTIONS"}
    return ", ".join(sorted(methods | {"HEAD"} if "GET" in methods else methods))


def known(error: Exception, request_id: str) -> IpamError:
    if isinstance(error, IpamError) and error.code in STATUS:
        return error
    if isinstance(error, CONTENDED):
        seldom("contended", error, request_id)
        return Contended()
    if isinstance(error, AWAY) and not isinstance(error, ValueError):
        seldom("database_unavailable", error, request_id)
        return Unavailable("the database", "try again in a moment")
    if isinstance(error, asyncpg.CheckViolationError) and error.table_name == "lease_event":
        log.error("lease_history_has_no_partition", error=str(error), request_id=request_id)
        return Unavailable(
            "it has no partition for today yet; retry in a moment",
            "it has no partition for today; one is about to be made",
        )
    faults.caught("API request", error, request_id=request_id)
    return IpamError()


def seldom(event: str, error: Exception, request_id: str) -> None:
    """Log what the database refuses; an outage meets every request."""
    suppressed = faults.due((event, type(error).__name__))
    if suppressed is not None:
        log.warning(event, error=reason(error), request_id=request_id, suppressed=suppressed)


def details_of(error: IpamError) -> dict[str, Any] | None:
    if error.code == "validation_error":
        return error.facts
    details: dict[str, Any] | None = getattr(error, "details", None)
    if error.index is not None:
        return (details or {}) | {"index": error.index}
    return details


def headers_of(error: IpamError) -> dict[str, str]:
    if error.code == "unauthorized":
        return {"www-authenticate": "Bearer"}
    if error.code == "rate_limited":
        return {"retry-after": str(error.facts["retry_after"])}
    if error.code == "unavailable":
        return {"retry-after": "1"}
    return {}


def envelope(
    code: str, message: str, details: dict[str, Any] | None, request_id: str, headers: dict[str, str]
) -> Answer:
    error = Error(code=code, message=message, details=details or msgspec.UNSET, request_id=request_id)
    return Answer(STATUS[code], msgspec.json.encode(ErrorEnvelope(error)), headers)
