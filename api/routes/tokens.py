"""Tokens: for admins, but for `self`, which describes the request's own token."""

from functools import partial
from http import HTTPStatus

from litestar import delete, get, post
from litestar.response.base import ASGIResponse

from api.http.answers import send
from api.http.context import AnyRequest, actor_of, context_of
from api.http.etag import expectation, item
from api.http.request import query_of
from api.routes.creation import creation, replayable
from api.routes.resource import Resource, get_route, list_route, patch_route, read_flags
from ipam_core.errors import NotFound
from ipam_core.model.actor import Actor
from ipam_core.model.token import NewToken, Token, TokenWithSecret
from ipam_core.services import tokens
from ipam_core.services.entity import crud
from ipam_core.services.entity.entity import Connection
from ipam_core.services.tokens import TOKENS

RESOURCE = Resource(TOKENS, may_read="administer", may_write="administer")


@post(
    "/tokens",
    operation_id="create_token",
    summary="Create a token",
    opt={"may": "administer", "answers": TokenWithSecret, "takes": NewToken},
)
async def create_token(request: AnyRequest) -> ASGIResponse:
    answer = await creation(request, NewToken, tokens.create, "tokens", secret=True)
    if actor_of(request).bootstrap and answer.status_code == HTTPStatus.CREATED:
        context_of(request).authenticator.end_bootstrap()
    return answer


@post(
    "/tokens/{id:str}/rotate",
    operation_id="rotate_token",
    summary="Rotate the secret of a token",
    opt={"may": "administer", "answers": TokenWithSecret},
)
async def rotate_token(request: AnyRequest) -> ASGIResponse:
    id_ = request.path_params["id"]

    async def make(connection: Connection, actor: Actor) -> TokenWithSecret:
        return await tokens.rotate(connection, actor, id_)

    answer = await replayable(request, b"", make, "tokens", secret=True)
    if answer.status < HTTPStatus.BAD_REQUEST:  # a kept refusal comes back as an answer too
        context_of(request).authenticator.forget(id_)
    return send(answer)


@get(
    "/tokens/self",
    operation_id="get_own_token",
    summary="Get the token in use",
    opt={"may": "read", "answers": Token},
)
async def get_own_token(request: AnyRequest) -> ASGIResponse:
    actor = actor_of(request)
    if actor.token_id is None:
        raise NotFound("token", "self")
    work = partial(crud.read, entity=TOKENS, actor=actor, id_=str(actor.token_id))
    return item(request, await context_of(request).read(work))


@delete(
    RESOURCE.item_path,
    operation_id="delete_token",
    summary="Revoke a token",
    status_code=204,
    opt={"may": "administer", "query": ("cascade",)},
)
async def delete_token(request: AnyRequest) -> None:
    read_flags(query_of(request), "cascade")
    context, id_ = context_of(request), request.path_params["id"]
    await context.write(partial(tokens.revoke, actor=actor_of(request), id_=id_, expect=expectation(request)))
    context.authenticator.forget(id_)


HANDLERS = [
    create_token,
    rotate_token,
    get_own_token,
    delete_token,
    list_route(RESOURCE),
    get_route(RESOURCE),
    patch_route(RESOURCE),
]
