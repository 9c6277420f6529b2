"""Search: one text, everything that it may mean."""

from functools import partial

from litestar import get
from litestar.response.base import ASGIResponse

from api.http.context import AnyRequest, actor_of
from api.http.listing import listed
from ipam_core.model.search import Found, Hit
from ipam_core.services import search
from ipam_core.services.entity import lists


@get(
    "/search",
    operation_id="search",
    summary="Search the plan and the leases",
    opt={"may": "read", "answers": Found, "query": ("q", *lists.PAGING)},
)
async def search_all(request: AnyRequest) -> ASGIResponse:
    return await listed(request, Hit, partial(search.find, actor=actor_of(request)))


HANDLERS = [search_all]
