"""The machine-readable description, under the base path and behind a token like everything there."""

from litestar import get
from litestar.response.base import ASGIResponse

from api.core import AnyRequest, core_of, send
from api.errors import Answer
from api.openapi import document


@get(
    "/openapi.json",
    operation_id="get_openapi",
    summary="Get the description of this API",
    opt={"may": "read"},
)
async def get_openapi(request: AnyRequest) -> ASGIResponse:
    core = core_of(request)
    core.document = core.document or document(request.app)
    return send(Answer(200, core.document, {}))


HANDLERS = [get_openapi]
