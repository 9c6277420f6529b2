"""Entity tags (RFC 9110 section 8.8.3): objects that bear one, and the conditions that requests make of it."""

import re
from collections.abc import Callable
from hashlib import blake2b

from litestar.response.base import ASGIResponse

from api.http.answers import encode, send
from api.http.context import AnyRequest
from api.http.errors import Answer
from ipam_core.errors import PreconditionFailed, ValidationError
from ipam_core.model.base import Model

# RFC 9110 section 13.1.1. One that is no tag must not count as none: the change would be made unconditionally.
TAG = r'(?:W/)?"[!#-~]*"'
IF_MATCH = re.compile(rf"\*|{TAG}(?:\s*,\s*{TAG})*")


def item(request: AnyRequest, model: Model) -> ASGIResponse:
    """An object with its entity tag; nothing but the tag if the client has it already."""
    body = encode(model)
    tag = etag(body)
    if tag in tags(request.headers.get("if-none-match", "")):
        return ASGIResponse(status_code=304, headers={"etag": tag})
    return send(Answer(200, body, {"etag": tag}))


def tagged(model: Model) -> ASGIResponse:
    """An object as it is after a change."""
    body = encode(model)
    return send(Answer(200, body, {"etag": etag(body)}))


def created(model: Model, path: str) -> Answer:
    body = encode(model)
    return Answer(201, body, {"location": path, "etag": etag(body)})


def etag(body: bytes) -> str:
    """The tag is of what the client sees, so it changes exactly when that does."""
    return f'"{blake2b(body, digest_size=12).hexdigest()}"'


def tags(header: str) -> list[str]:
    return [tag.strip().removeprefix("W/") for tag in header.split(",")]


def expectation(request: AnyRequest) -> Callable[[Model], None]:
    """If-Match as a condition on the object as it stands when its row is locked."""
    header = request.headers.get("if-match")
    if header is not None and not IF_MATCH.fullmatch(header.strip()):
        raise ValidationError("If-Match", "must be * or entity tags in double quotes")

    def expect(model: Model) -> None:
        wanted = [tag.strip() for tag in (header or "*").split(",")]
        if "*" not in wanted and etag(encode(model)) not in wanted:
            raise PreconditionFailed

    return expect
