"""The envelope of every error."""

from typing import Annotated, Any

import msgspec
from msgspec import Meta


class Error(msgspec.Struct, kw_only=True, frozen=True):
    code: Annotated[str, Meta(description="Kind of the error, for programs: one word for each kind.")]
    message: Annotated[
        str, Meta(description="Description of the error for people: the field, the value and how to fix it.")
    ]
    details: Annotated[
        dict[str, Any] | msgspec.UnsetType,
        Meta(description="Facts about the error, if any: the refused `field`, `conflicts_with`, `children`."),
    ] = msgspec.UNSET
    request_id: Annotated[
        str, Meta(description="Header X-Request-Id, which identifies the request in the logs.")
    ]


class ErrorEnvelope(msgspec.Struct, frozen=True):
    error: Annotated[Error, Meta(description="The error.")]
