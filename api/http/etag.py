"""Entity tags (RFC 9110 section 8.8.3): objects that bear one, and the conditions that requests make of it."""

import re
from collections.abc import Callable
from hashlib import blake2b
from typing import Any

import msgspec
from litestar.response.base import ASGIResponse

from api.http.answers import encode, send
from api.http.context import AnyRequest
from api.http.errors import Answer
from ipam_core.errors import PreconditionFailed, ValidationError
from ipam_core.model.base import Model

# RFC 9110 section 13.1.1. One that is no tag must not count as none: the change would be made unconditionally.
TAG = r'(?:W/)?"[!#-~]*"'
BESIDE = "-"
CONDITION = re.compile(rf"\*|{TAG}(?:\s*,\s*{TAG})*")


def item(request: AnyRequest, model: Model) -> ASGIResponse:
    """Return an object with its entity tag; nothing but the tag if the client has it already. Raises PreconditionFailed
    where If-Match names others (RFC 9110 section 13.2.2: it is judged first), and ValidationError."""
    body = encode(model)
    tag = etag(model)
    if (wanted := condition(request, "if-match")) is not None and not matches(tag, wanted):
        raise PreconditionFailed
    known = tags(request.headers.get("if-none-match", ""))
    if "*" in known or tag in known:
        return ASGIResponse(status_code=304, headers={"etag": tag})
    return send(Answer(200, body, {"etag": tag}))


def tagged(model: Model) -> ASGIResponse:
    """Return an object as it is after a change."""
    return send(Answer(200, encode(model), {"etag": etag(model)}))


def created(model: Model, path: str) -> Answer:
    return Answer(201, encode(model), {"location": path, "etag": etag(model)})


def etag(model: Model) -> str:
    """Return the tag is of what the client sees, so it changes exactly when that does, but for fields that no tag
    knows. What stands beside an object has a part of its own, which no condition on the object compares."""
    if not (model.beside or model.untagged):
        return f'"{digest(model)}"'
    shown = msgspec.structs.asdict(model)
    for name in model.untagged:
        del shown[name]
    if not model.beside:
        return f'"{digest(shown)}"'
    beside = {name: shown.pop(name) for name in model.beside}
    return f'"{digest(shown)}{BESIDE}{digest(beside)}"'


def digest(value: Any) -> str:
    return blake2b(encode(value), digest_size=12).hexdigest()


def of_object(tag: str) -> str:
    """Return the tag without the part of what stands beside the object."""
    return re.sub(rf'{BESIDE}[0-9a-f]+"$', '"', tag)


def tags(header: str) -> list[str]:
    return [tag.strip().removeprefix("W/") for tag in header.split(",")]


def condition(request: AnyRequest, name: str) -> str | None:
    """Return the value of If-Match or If-None-Match. Raises ValidationError for what is no list of entity tags."""
    header = request.headers.get(name)
    if header is not None and not CONDITION.fullmatch(header.strip()):
        raise ValidationError(name.title(), "must be * or entity tags in double quotes")
    return header


def matches(tag: str, wanted: str) -> bool:
    """Return whether a condition names the tag; tags of one object that differ in what stands beside it are equal."""
    named = [of_object(each.strip()) for each in wanted.split(",")]
    return "*" in named or of_object(tag) in named


def expectation(request: AnyRequest) -> Callable[[Model], None]:
    """Return If-Match, then If-None-Match (RFC 9110 section 13.1.2: a write fails where it matches), as a condition on
    the present object. Raises ValidationError."""
    wanted, unwanted = condition(request, "if-match"), condition(request, "if-none-match")

    def expect(model: Model) -> None:
        tag = etag(model)
        if wanted is not None and not matches(tag, wanted):
            raise PreconditionFailed
        if unwanted is not None and matches(tag, ",".join(tags(unwanted))):
            raise PreconditionFailed

    return expect
