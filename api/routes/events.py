"""Events: a list, or a stream of server-sent events where the client asks for that by `Accept`."""

from functools import partial

from litestar import get
from litestar.response.base import ASGIResponse

from api.http.auth import refuse_elsewhere
from api.http.context import AnyRequest, actor_of, context_of
from api.http.event_streams import MEDIA, Asked, EventStream, Still
from api.http.listing import listed, wants
from api.http.request import query_of
from ipam_core.db.outage import FAILED
from ipam_core.errors import Forbidden, Unauthorized, ValidationError
from ipam_core.model.event import Event
from ipam_core.model.page import Page
from ipam_core.services import event_list, event_stream
from ipam_core.services.entity import lists
from ipam_core.services.entity.entity import Connection
from ipam_core.services.event_stream import Position

LAST = "last-event-id"
NO_STREAM = ("limit", "cursor", "until")


@get(
    "/events",
    operation_id="list_events",
    summary="List or stream events, newest first",
    opt={
        "may": "read",
        "answers": Page[Event],
        "query": lists.PAGING,
        "filters": event_list.FILTERS,
        "streams": MEDIA,
    },
)
async def list_events(request: AnyRequest) -> ASGIResponse:
    if wants(MEDIA, request.headers.get("accept", "")):
        return await followed(request)
    return await listed(request, Event, partial(event_list.find, actor=actor_of(request)))


async def followed(request: AnyRequest) -> ASGIResponse:
    """Return events after that of Last-Event-ID, else from `since`, else from now on."""
    query, actor, context = query_of(request), actor_of(request), context_of(request)
    for name in NO_STREAM:
        if name in query:
            raise ValidationError(name, "is not supported for streams")
    asked = event_list.Asked(actor, query)

    async def begin(connection: Connection) -> Position | None:
        if LAST in request.headers:
            return await event_stream.position_after(connection, request.headers[LAST])
        return await event_stream.since(connection, asked.since) if "since" in query else None

    position = await context.read(begin)
    wanted = Asked(actor, asked.types, query.get("tenant_id"), position)
    stream = await context.streams.open(wanted, still_good(request))
    state = request.scope["state"]
    state["allow_endless"]()
    return EventStream(stream, state["abort"], state["bodiless"])


def still_good(request: AnyRequest) -> Still:
    """Return whether the token of the request is unchanged. A request that began without a token needs one once a token
    exists."""
    authenticator, actor = context_of(request).authenticator, actor_of(request)

    async def ask() -> bool:
        try:
            if "authorization" not in request.headers:
                return not await authenticator.bootstrapped()
            row = await authenticator.find_token(request.headers["authorization"])
            refuse_elsewhere(row, actor.remote_address)
        except (Unauthorized, Forbidden):
            return False
        except FAILED:  # nobody can say
            return True
        return (row["role"], row["tenant_no"]) == (actor.role, actor.tenant_no)

    return ask


HANDLERS = [list_events]
