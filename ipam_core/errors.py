"""The error tree. A class's docstring is its message and its fields are the facts that the message names.

Errors that callers may meet are IpamErrors: the API maps `code` to a status, the command line prints the message on one
line. Any other exception is a defect and appears only in the log.
"""

import errno
import os
from dataclasses import dataclass
from typing import Any, ClassVar


@dataclass(eq=False)
class IpamError(Exception):
    """The request could not be served."""

    code: ClassVar[str] = "internal_error"
    # Which of many operations it was; set by who runs them.
    index: ClassVar[int | None] = None

    def __str__(self) -> str:
        template = (type(self).__doc__ or "").split("\n\n", 1)[0]
        return " ".join(template.split()).format(**vars(self))

    @property
    def facts(self) -> dict[str, Any]:
        return {name: value for name, value in vars(self).items() if not name.startswith("__")}


@dataclass(eq=False)
class ValidationError(IpamError):
    """{field}: {reason}"""

    code: ClassVar[str] = "validation_error"
    field: str
    reason: str


@dataclass(eq=False)
class NotFound(IpamError):
    """There is no {what} {id}."""

    code: ClassVar[str] = "not_found"
    what: str
    id: str


@dataclass(eq=False)
class Conflict(IpamError):
    """{reason}"""

    code: ClassVar[str] = "conflict"
    reason: str
    details: dict[str, Any] | None = None


@dataclass(eq=False)
class Unavailable(IpamError):
    """{what} is not available: {reason}"""

    code: ClassVar[str] = "unavailable"
    what: str
    reason: str


@dataclass(eq=False)
class Contended(IpamError):
    """Others were writing the same at this moment and nothing was changed: try again"""

    code: ClassVar[str] = "unavailable"


@dataclass(eq=False)
class SettingsError(IpamError):
    """{key}: {reason}"""

    key: str
    reason: str


@dataclass(eq=False)
class UnavailableEndpoint(SettingsError):
    """{key}: {reason}"""

    # A later start may succeed: the address is in use, or no interface has it yet.


@dataclass(eq=False)
class DataDirError(IpamError):
    """The data folder {path} cannot be used: {reason}"""

    path: str
    reason: str


@dataclass(eq=False)
class SecretKeyError(IpamError):
    """The secret key file {path} cannot be used: {reason}"""

    path: str
    reason: str


@dataclass(eq=False)
class PostgresStartError(IpamError):
    """The embedded PostgreSQL did not start: {reason}"""

    reason: str


@dataclass(eq=False)
class PartError(IpamError):
    """{role} ended with status {status} before it was ready."""

    role: str
    status: int


@dataclass(eq=False)
class UnfitDatabase(IpamError):
    """This database cannot be used: {reason}"""

    reason: str


@dataclass(eq=False)
class OlderSchema(IpamError):
    """The schema is {found}, this build needs {needed}: run ipam migrate"""

    code: ClassVar[str] = "unavailable"
    found: str
    needed: str


@dataclass(eq=False)
class NewerSchema(SettingsError):
    """{key}: the database is at {reason}, which this build ({known}) does not know: upgrade ipam"""

    known: str


@dataclass(eq=False)
class OtherVersions(IpamError):
    """Step {step} takes away what other versions need, and these hosts still run one: {hosts}; upgrade or stop them"""

    step: str
    hosts: str


@dataclass(eq=False)
class MigrationError(IpamError):
    """Migration {migration} failed and left nothing behind: {reason}"""

    migration: str
    reason: str


@dataclass(eq=False)
class BackupError(IpamError):
    """{reason}"""

    reason: str


@dataclass(eq=False)
class BadRequest(IpamError):
    """{reason}"""

    code: ClassVar[str] = "bad_request"
    reason: str


@dataclass(eq=False)
class Unauthorized(IpamError):
    """A valid token is needed: Authorization: Bearer <token>"""

    code: ClassVar[str] = "unauthorized"


@dataclass(eq=False)
class Forbidden(IpamError):
    """{reason}"""

    code: ClassVar[str] = "forbidden"
    reason: str


@dataclass(eq=False)
class ManagedAddressLimit(IpamError):
    """The managed address limit of {limit} is reached. Delete reservations or assignments that are no longer needed, or
    raise managed_address_limit"""

    code: ClassVar[str] = "license_limit"
    limit: int

    @property
    def details(self) -> dict[str, Any]:
        return {"managed_ips_limit": self.limit}


@dataclass(eq=False)
class LimitReached(IpamError):
    """The tenant has reached its limit of {limit} {what}: {remedy}, or ask a global admin to raise {setting}"""

    code: ClassVar[str] = "limit_reached"
    what: str
    setting: str
    limit: int
    usage: int
    remedy: str = "delete some"

    @property
    def details(self) -> dict[str, Any]:
        return {"field": self.setting, "limit": self.limit, "usage": self.usage}


@dataclass(eq=False)
class PreconditionFailed(IpamError):
    """The object is not as If-Match or If-None-Match requires; read it again"""

    code: ClassVar[str] = "precondition_failed"


@dataclass(eq=False)
class UnsupportedMediaType(IpamError):
    """The body must be {expected}"""

    code: ClassVar[str] = "unsupported_media_type"
    expected: str


@dataclass(eq=False)
class RateLimited(IpamError):
    """More than {limit} requests a minute; try again in {retry_after} seconds"""

    code: ClassVar[str] = "rate_limited"
    limit: int
    retry_after: int


@dataclass(eq=False)
class TooManyAtOnce(IpamError):
    """More than {limit} requests at a time from one address; wait for their answers and try again"""

    code: ClassVar[str] = "rate_limited"
    limit: int
    retry_after: int = 1


@dataclass(eq=False)
class TooManyMessages(IpamError):
    """More than {limit} {what} of this {receiver} within five minutes; try again in {retry_after} seconds"""

    code: ClassVar[str] = "rate_limited"
    what: str
    receiver: str
    limit: int
    retry_after: int


@dataclass(eq=False)
class IdempotencyReused(IpamError):
    """This Idempotency-Key was used with another body or as another role"""

    code: ClassVar[str] = "idempotency_key_reused"


@dataclass(eq=False)
class IdempotencyInProgress(IpamError):
    """A request with this Idempotency-Key is still running"""

    code: ClassVar[str] = "idempotency_in_progress"


MENDED_BY_TIME = {errno.EADDRINUSE, errno.EADDRNOTAVAIL, errno.ENODEV, errno.ENETDOWN}


def unserved(key: str, reason: str, error: OSError) -> SettingsError:
    """An endpoint of a setting that cannot be had, and whether another start may find it."""
    kind = UnavailableEndpoint if error.errno in MENDED_BY_TIME else SettingsError
    return kind(key, reason)


def unserved_at(key: str, endpoint: object, error: OSError) -> SettingsError:
    """Return the error of a listening address that is not available."""
    return unserved(key, f"{endpoint} cannot be served: {system_reason(error)}", error)


def system_reason(error: OSError) -> str:
    """Return the system's reason, without the address that asyncio repeats before it."""
    number = error.errno or 0  # name resolution has negative ones
    return os.strerror(number) if number > 0 else str(error)


# Errors that a retry does not mend: the process reports them and ends.
FATAL = (SettingsError, SecretKeyError, NewerSchema)
