"""The machine-readable description, under the base path and behind a token like everything there."""

from litestar import get
from litestar.response.base import ASGIResponse

from api.http.answers import send
from api.http.context import AnyRequest, context_of
from api.http.errors import Answer


@get(
    "/openapi.json",
    operation_id="get_openapi",
    summary="Get the description of this API",
    opt={"may": "read"},
)
async def get_openapi(request: AnyRequest) -> ASGIResponse:
    return send(Answer(200, await context_of(request).describe(), {}))


@get(
    "/openapi-ipam.json",
    operation_id="get_openapi_ipam",
    summary="Get the description of the address plan's part of this API",
    opt={"may": "read"},
)
async def get_openapi_ipam(request: AnyRequest) -> ASGIResponse:
    return send(Answer(200, await context_of(request).describe_plan(), {}))


HANDLERS = [get_openapi, get_openapi_ipam]
