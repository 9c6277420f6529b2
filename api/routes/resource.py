"""The routes that every family has: list, create, get, patch, delete, with the same manners.

Their paths and names follow from the family's names (ipam_core.model.families).
"""

from collections.abc import Awaitable, Callable, Mapping
from dataclasses import replace
from functools import partial
from typing import Any, NamedTuple

import msgspec
from litestar import delete, get, patch, post
from litestar.handlers import HTTPRouteHandler
from litestar.response.base import ASGIResponse

from api.http.answers import shown
from api.http.context import AnyRequest, actor_of, allow_long, context_of
from api.http.etag import expectation, item, tagged
from api.http.listing import listed
from api.http.request import body_of, query_of
from api.routes.creation import creation
from ipam_core.errors import ValidationError
from ipam_core.model import decoding
from ipam_core.model.actor import Actor
from ipam_core.model.base import Command, Model
from ipam_core.model.families import with_article
from ipam_core.model.impact import Rehearsal
from ipam_core.model.page import Page
from ipam_core.services import impact
from ipam_core.services.entity import crud, deletion, lists
from ipam_core.services.entity.entity import Connection, Entity

MERGE_PATCH = "application/merge-patch+json"


class Resource(NamedTuple):
    """Routes of a family. `parents`: below which it is listed and made too; `items`: the collection in which its
    objects are found, if another."""

    entity: Entity[Any]
    parents: tuple[Entity[Any], ...] = ()
    may_read: str = "read"
    may_write: str = "write"
    items: str = ""

    @property
    def path(self) -> str:
        return f"/{self.entity.family.name}"

    @property
    def collection(self) -> str:
        return self.items or self.entity.family.name

    @property
    def item_path(self) -> str:
        return f"/{self.collection}/{{id:str}}"

    def path_below(self, parent: Entity[Any]) -> str:
        return self.entity.family.path_below(parent.family, f"{{{parent.family.key}:str}}")


def handlers(resource: Resource) -> list[HTTPRouteHandler]:
    """Return all routes of an entity that are the same for every entity."""
    made: list[HTTPRouteHandler] = [list_route(resource), get_route(resource), patch_route(resource)]
    made.append(delete_route(resource))
    if not resource.parents:
        made.append(create_route(resource, resource.path))
    elif resource.entity.family.alone:
        alone = replace(resource.entity, create=resource.entity.create_alone)
        made.append(create_route(resource._replace(entity=alone), resource.path))
    for parent in resource.parents:
        made.append(list_route(resource, parent))
        made.append(create_route(resource, resource.path_below(parent), parent))
    return made


def list_route(resource: Resource, parent: Entity[Any] | None = None) -> HTTPRouteHandler:
    entity = resource.entity
    path = resource.path_below(parent) if parent else resource.path
    filters = {
        name: each for name, each in entity.filters.items() if parent is None or name != parent.family.key
    }
    opt: dict[str, Any] = {
        "may": resource.may_read,
        "query": lists.PAGING,
        "sorts": entity.sorts,
        "filters": filters,
    }
    opt["answers"] = Page[entity.row_model]  # type: ignore[name-defined]  # the model is a value here
    named = f"list_{parent.name}_{entity.plural}" if parent else f"list_{entity.plural}"

    @get(path, operation_id=named, opt=opt, summary=f"List {entity.plural.replace('_', ' ')}")
    async def list_objects(request: AnyRequest) -> ASGIResponse:
        actor = actor_of(request)
        above: Mapping[str, str] = request.path_params
        if parent and parent.family.key in request.query_params:
            raise ValidationError(parent.family.key, "is part of the path; leave out the parameter")

        async def find(connection: Connection, query: dict[str, str]) -> Page[Any]:
            page = await lists.find(connection, entity, actor, query, above)
            if parent and not page.items:  # an empty list of what is not there is no list
                await crud.read(connection, parent, actor, above[parent.family.key])
            return page

        return await listed(request, entity.row_model, find)

    return list_objects


def create_route(
    resource: Resource, path: str, parent: Entity[Any] | None = None, named: str = ""
) -> HTTPRouteHandler:
    entity = resource.entity
    named = named or (f"create_{parent.name}_{entity.name}" if parent else f"create_{entity.name}")
    flags = entity.family.write_flags
    opt = {"may": resource.may_write, "answers": entity.model, "takes": entity.create, "query": flags}

    @post(path, operation_id=named, opt=opt, summary=f"Create {with_article(entity.label)}")
    async def create_object(request: AnyRequest) -> ASGIResponse:
        above = dict(request.path_params)
        set_flags = flags_set(query_of(request), flags) if flags else frozenset()

        async def make(connection: Connection, actor: Actor, command: Command) -> Model:
            return await crud.create(connection, entity, flagged(actor, set_flags), above, command)

        return await creation(request, entity.create, make, resource.collection)

    return create_object


def get_route(resource: Resource) -> HTTPRouteHandler:
    entity = resource.entity
    opt = {"may": resource.may_read, "answers": entity.model}

    @get(
        resource.item_path,
        operation_id=f"get_{entity.name}",
        opt=opt,
        summary=f"Get {with_article(entity.label)}",
    )
    async def get_object(request: AnyRequest) -> ASGIResponse:
        actor, id_ = actor_of(request), request.path_params["id"]
        found = await context_of(request).show(partial(crud.read, entity=entity, actor=actor, id_=id_))
        return item(request, found)

    return get_object


def patch_route(resource: Resource) -> HTTPRouteHandler:
    entity = resource.entity
    opt = {
        "may": resource.may_write,
        "answers": entity.model,
        "takes": entity.patch,
        "patches": True,
        "query": (*entity.family.write_flags, "dry_run"),
        "rehearsed": True,
    }

    @patch(
        resource.item_path,
        operation_id=f"update_{entity.name}",
        opt=opt,
        summary=f"Change {with_article(entity.label)}",
    )
    async def patch_object(request: AnyRequest) -> ASGIResponse:
        change = decoding.parse_object(await body_of(request, MERGE_PATCH))
        flags = flags_set(query_of(request), (*entity.family.write_flags, "dry_run"))
        expect, id_ = expectation(request), request.path_params["id"]

        async def work(connection: Connection, actor: Actor) -> Model:
            acting = flagged(actor, flags)
            found: Model = await crud.change(connection, entity, acting, id_, change, expect)
            return found

        if "dry_run" in flags:
            return await rehearsed(request, 200, work)
        return tagged(await context_of(request).write(partial(work, actor=actor_of(request))))

    return patch_object


def delete_route(resource: Resource) -> HTTPRouteHandler:
    entity = resource.entity
    opt = {"may": resource.may_write, "query": ("cascade", "dry_run"), "rehearsed": True, "bare": True}

    @delete(
        resource.item_path,
        operation_id=f"delete_{entity.name}",
        opt=opt,
        summary=f"Delete {with_article(entity.label)}",
        status_code=200,  # of a dry run; else 204, which the framework takes for handlers that never answer more
    )
    async def delete_object(request: AnyRequest) -> ASGIResponse:
        flags = read_flags(query_of(request), "cascade", "dry_run")
        if flags["cascade"]:
            allow_long(request)
        work = partial(
            deletion.delete,
            entity=entity,
            id_=request.path_params["id"],
            cascade=flags["cascade"],
            expect=expectation(request),
        )
        if flags["dry_run"]:
            return await rehearsed(request, 204, work)
        await context_of(request).write(partial(work, actor=actor_of(request)))
        return ASGIResponse(status_code=204)

    return delete_object


async def rehearsed(request: AnyRequest, status: int, work: Callable[..., Awaitable[Any]]) -> ASGIResponse:
    """Return what the request would have been answered, and its further effects; nothing is done."""
    allow_long(request)
    actor = actor_of(request)

    async def rehearse(connection: Connection) -> Rehearsal:
        return await impact.rehearse_one(
            connection, actor, status, lambda acting: work(connection, actor=acting)
        )

    return shown(await context_of(request).write(rehearse))


def flagged(actor: Actor, flags: frozenset[str]) -> Actor:
    """Return the actor with what the query of its request permits."""
    return msgspec.structs.replace(actor, flags=flags) if flags else actor


def flags_set(query: dict[str, str], names: tuple[str, ...]) -> frozenset[str]:
    return frozenset(name for name, is_set in read_flags(query, *names).items() if is_set)


def read_flags(query: dict[str, str], *names: str) -> dict[str, bool]:
    for name, text in query.items():
        if name not in names:
            raise ValidationError(name, "is not a query parameter of this operation")
        if text not in ("true", "false"):
            raise ValidationError(name, "must be true or false")
    return {name: query.get(name) == "true" for name in names}
