"""DNS servers, tried."""

from litestar import post
from litestar.response.base import ASGIResponse

from api.http.answers import shown
from api.http.context import AnyRequest, actor_of, allow_long, context_of
from ipam_core.model.dns_server import DnsServerTest
from ipam_core.workers import server_trial


@post(
    "/dns-servers/{id:str}/test",
    operation_id="test_dns_server",
    summary="Test whether a DNS server accepts updates",
    status_code=200,
    opt={"may": "operate", "answers": DnsServerTest},
)
async def test_dns_server(request: AnyRequest) -> ASGIResponse:
    """Hold no session while the server is asked."""
    allow_long(request)
    context, id_ = context_of(request), request.path_params["id"]
    return shown(await server_trial.try_server(context.pool, context.guard, actor_of(request), id_))


HANDLERS = [test_dns_server]
