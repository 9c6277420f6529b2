"""Leases: lists and items of what was granted, and the release."""

from functools import partial

from litestar import get, post
from litestar.response.base import ASGIResponse

from api.core import AnyRequest, actor_of, core_of, item, query_of, shown
from ipam_core.model.lease import Lease
from ipam_core.model.page import Page
from ipam_core.services import leases, lists


@get(
    "/leases",
    operation_id="list_leases",
    summary="List leases",
    opt={"may": "read", "answers": Page[Lease], "query": (*lists.PAGING, *leases.FILTERS)},
)
async def list_leases(request: AnyRequest) -> ASGIResponse:
    work = partial(leases.find, actor=actor_of(request), query=query_of(request))
    return shown(await core_of(request).read(work))


@get(
    "/leases/{id:str}", operation_id="get_lease", summary="Get a lease", opt={"may": "read", "answers": Lease}
)
async def get_lease(request: AnyRequest) -> ASGIResponse:
    work = partial(leases.read, actor=actor_of(request), id_=request.path_params["id"])
    return item(request, await core_of(request).read(work))


@post(
    "/leases/{id:str}/release",
    operation_id="release_lease",
    summary="Release a lease",
    status_code=200,
    opt={"may": "operate", "answers": Lease},
)
async def release_lease(request: AnyRequest) -> ASGIResponse:
    work = partial(leases.release, actor=actor_of(request), id_=request.path_params["id"])
    return shown(await core_of(request).write(work))


HANDLERS = [list_leases, get_lease, release_lease]
