"""The envelope of every error."""

from typing import Annotated, Any

import msgspec
from msgspec import Meta


class Error(msgspec.Struct, kw_only=True, frozen=True):
    code: Annotated[str, Meta(description="What went wrong, for programs: one word for each kind of error.")]
    message: Annotated[
        str, Meta(description="What went wrong, for people; it names the field and what would fit.")
    ]
    details: Annotated[
        dict[str, Any] | msgspec.UnsetType,
        Meta(
            description="Facts, where there are some: `field` that is refused, `conflicts_with`, `children`."
        ),
    ] = msgspec.UNSET
    request_id: Annotated[str, Meta(description="The header X-Request-Id, by which logs find the request.")]


class ErrorEnvelope(msgspec.Struct, frozen=True):
    error: Annotated[Error, Meta(description="What went wrong.")]
