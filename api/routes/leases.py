"""Leases: lists and items of what was granted, the release, and reservations made of them."""

from functools import partial

from litestar import get, post
from litestar.response.base import ASGIResponse

from api.http.answers import send, shown
from api.http.context import AnyRequest, actor_of, context_of
from api.http.etag import item
from api.http.listing import listed
from api.http.request import body_of
from api.routes.creation import creation, decode, replayable
from ipam_core.model.actor import Actor
from ipam_core.model.lease import Lease, Reconfiguration, ReconfigureLease, ReserveLease
from ipam_core.model.page import Page
from ipam_core.model.reservation import Reservation
from ipam_core.services import leases
from ipam_core.services.entity import lists
from ipam_core.services.entity.entity import Connection


@get(
    "/leases",
    operation_id="list_leases",
    summary="List leases",
    opt={"may": "read", "answers": Page[Lease], "query": lists.PAGING, "filters": leases.FILTERS},
)
async def list_leases(request: AnyRequest) -> ASGIResponse:
    return await listed(request, Lease, partial(leases.find, actor=actor_of(request)))


@get(
    "/leases/{id:str}", operation_id="get_lease", summary="Get a lease", opt={"may": "read", "answers": Lease}
)
async def get_lease(request: AnyRequest) -> ASGIResponse:
    work = partial(leases.read, actor=actor_of(request), id_=request.path_params["id"])
    return item(request, await context_of(request).show(work))


@post(
    "/leases/{id:str}/release",
    operation_id="release_lease",
    summary="Release a lease",
    status_code=200,
    opt={"may": "operate", "answers": Lease},
)
async def release_lease(request: AnyRequest) -> ASGIResponse:
    work = partial(leases.release, actor=actor_of(request), id_=request.path_params["id"])
    return shown(await context_of(request).write(work))


@post(
    "/leases/{id:str}/reserve",
    operation_id="reserve_lease",
    summary="Create a reservation from a lease",
    opt={"may": "write", "answers": Reservation, "takes": ReserveLease, "body_required": False},
)
async def reserve_lease(request: AnyRequest) -> ASGIResponse:
    """Reserve a lease; the body may be left out."""
    id_ = request.path_params["id"]

    async def make(connection: Connection, actor: Actor, wanted: ReserveLease) -> Reservation:
        return await leases.reserve(connection, actor, id_, wanted)

    async def make_plainly(connection: Connection, actor: Actor) -> Reservation:
        return await make(connection, actor, ReserveLease())

    if await request.body():
        return await creation(request, ReserveLease, make, "reservations")
    return send(await replayable(request, b"", make_plainly, "reservations"))


@post(
    "/leases/{id:str}/reconfigure",
    operation_id="reconfigure_lease",
    summary="Send a Reconfigure message to a DHCPv6 client",
    status_code=202,
    opt={"may": "write", "answers": Reconfiguration, "takes": ReconfigureLease, "body_required": False},
)
async def reconfigure_lease(request: AnyRequest) -> ASGIResponse:
    """Accept the request; the servers notify the client later."""
    body = await request.body()
    wanted = decode(await body_of(request), ReconfigureLease) if body else ReconfigureLease()
    work = partial(leases.reconfigure, actor=actor_of(request), id_=request.path_params["id"], wanted=wanted)
    return shown(await context_of(request).write(work), status=202)


HANDLERS = [list_leases, get_lease, release_lease, reserve_lease, reconfigure_lease]
