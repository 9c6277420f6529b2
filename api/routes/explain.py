"""Explain: the DHCP server's decision about a given client, answered by the engine of api/commands.py."""

from litestar import post
from litestar.response.base import ASGIResponse

from api.http.answers import shown
from api.http.context import AnyRequest, actor_of, context_of
from api.http.request import body_of
from api.routes.creation import decode
from ipam_core.errors import Unavailable
from ipam_core.model.explain import Explanation, Question, check_question
from ipam_core.model.explain6 import Explanation6, Question6, check_question6
from ipam_core.services.entity.entity import Connection


@post(
    "/dhcp/explain",
    operation_id="explain_dhcp",
    summary="Explain the DHCP server's answer to a client",
    status_code=200,
    opt={"may": "read", "answers": Explanation, "takes": Question},
)
async def explain_dhcp(request: AnyRequest) -> ASGIResponse:
    question = decode(await body_of(request), Question)
    check_question(question)
    return await explained(request, question)


@post(
    "/dhcp6/explain",
    operation_id="explain_dhcp6",
    summary="Explain the DHCPv6 server's answer to a client",
    status_code=200,
    opt={"may": "read", "answers": Explanation6, "takes": Question6},
)
async def explain_dhcp6(request: AnyRequest) -> ASGIResponse:
    question = decode(await body_of(request), Question6)
    check_question6(question)
    return await explained(request, question)


async def explained(request: AnyRequest, question: Question | Question6) -> ASGIResponse:
    context, actor, explain = context_of(request), actor_of(request), request.app.state.explain
    if explain is None:
        raise Unavailable("explain", "this API runs without the DHCP engine")

    async def work(connection: Connection) -> Explanation | Explanation6:
        found: Explanation | Explanation6 = await explain(
            connection, context.settings, actor.tenant_no, question
        )
        return found

    return shown(await context.read(work))


HANDLERS = [explain_dhcp, explain_dhcp6]
