"""A request taken apart: its body as it came, and its query parameters."""

from api.http.context import AnyRequest
from ipam_core.errors import UnsupportedMediaType, ValidationError

REPEATED = {"tag"}


async def body_of(request: AnyRequest, *also: str) -> bytes:
    """Return the body of a request that brings JSON."""
    kind = request.headers.get("content-type", "").partition(";")[0].strip().lower()
    if kind not in ("application/json", *also):
        raise UnsupportedMediaType(" or ".join(("application/json", *also)))
    return await request.body()


def query_of(request: AnyRequest) -> dict[str, str]:
    """Query parameters, each at most once; of REPEATED ones a list with commas."""
    query: dict[str, str] = {}
    for name, value in request.query_params.multi_items():
        if name in query and name in REPEATED:
            value = f"{query[name]},{value}"
        elif name in query:
            raise ValidationError(name, "is given more than once")
        query[name] = value
    return query
