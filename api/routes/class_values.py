"""The classes that clients made of a template."""

from functools import partial

from litestar import get
from litestar.response.base import ASGIResponse

from api.http.context import AnyRequest, actor_of
from api.http.listing import listed
from ipam_core.model.client_class import ClassValue
from ipam_core.model.page import Page
from ipam_core.services import class_values
from ipam_core.services.entity import lists


@get(
    "/client-classes/{id:str}/values",
    operation_id="list_class_values",
    summary="List the values that clients send to a template",
    opt={
        "may": "read",
        "answers": Page[ClassValue],
        "query": lists.PAGING,
        "filters": class_values.FILTERS,
    },
)
async def list_class_values(request: AnyRequest) -> ASGIResponse:
    find = partial(class_values.find, actor=actor_of(request), id_=request.path_params["id"])
    return await listed(request, ClassValue, find)


HANDLERS = [list_class_values]
