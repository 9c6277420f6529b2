"""API tokens: made, changed, rotated and revoked. The secret is shown once, by the answer that makes it.

Revoked rows stay: the bootstrap ends when a token has ever existed, and the audit trail names them. All
writers take one lock, so that the last admin token cannot go by two requests at once.
"""

from collections.abc import Mapping
from datetime import UTC, datetime
from typing import Any
from uuid import UUID

import msgspec

from ipam_core.db import queries
from ipam_core.errors import Conflict, Unauthorized, ValidationError
from ipam_core.model.actor import Actor
from ipam_core.model.families import FAMILIES
from ipam_core.model.token import (
    SHOWN_LENGTH,
    NewToken,
    Token,
    TokenFields,
    TokenWithSecret,
    hash_secret,
    new_secret,
)
from ipam_core.services.entity import crud
from ipam_core.services.entity.change_log import Recorded
from ipam_core.services.entity.entity import Connection, Entity, Parent, Row, Write, view_text
from ipam_core.services.entity.filters import TENANT, equal, one_of, texts
from ipam_core.services.entity.parents import find_tenant, lock_row

SQL = queries.load("token")


SECRET = "secret"  # noqa: S105 - the name under which `lock_parent` finds the new one


async def create(connection: Connection, actor: Actor, command: NewToken) -> TokenWithSecret:
    """Return a token with its secret, which is told this once. Raises NotFound for the tenant, Unauthorized where the
    first token has been made meanwhile."""
    secret = new_secret()
    token = await crud.create(connection, TOKENS, actor, {SECRET: secret}, command)
    return with_secret(token, secret)


async def rotate(connection: Connection, actor: Actor, id_: str) -> TokenWithSecret:
    """Return the token with a new secret; the old one is void with the COMMIT. Raises NotFound, and Conflict for a
    token that has expired: nobody could use the new secret."""
    secret = new_secret()
    async with connection.transaction():
        parent, row = await crud.lock(connection, TOKENS, actor, id_)
        before = TOKENS.present(row)
        if is_past(row["expires_at"]):
            raise Conflict(f"the token expired at {before.expires_at}; set a later expires_at first")
        await SQL.replace_secret(connection, no=row["no"], **stored(secret))
        row = await crud.fetch(connection, TOKENS, actor, id_)
        after = TOKENS.present(row)
        write = Write(connection, actor, parent, None, row)
        await crud.record(write, TOKENS, row, Recorded("token", before, after))
    return with_secret(after, secret)


async def revoke(
    connection: Connection, actor: Actor, id_: str, expect: crud.Expectation = crud.expect_nothing
) -> None:
    """Make a token void. Raises NotFound, what `expect` does, and Conflict for the last admin token."""
    async with connection.transaction():
        parent, row = await crud.lock(connection, TOKENS, actor, id_)
        before = TOKENS.present(row)
        expect(before)
        write = Write(connection, actor, parent, None, row)
        await refuse_last_admin(write)
        await SQL.revoke(connection, no=row["no"])
        await crud.record(write, TOKENS, row, Recorded("token", before, None))


async def authenticate(connection: Connection, secret: str) -> Row | None:
    """Return the row of a token by its secret if it is good now, else None; notes at most once a minute that it was
    used."""
    row: Row | None = await SQL.find_by_secret(connection, secret_hash=hash_secret(secret))
    if row is not None and row["note_use"]:
        await SQL.note_use(connection, no=row["no"])
    return row


async def any_exists(connection: Connection) -> bool:
    """Return whether a token has ever existed."""
    found: bool = await SQL.any_token(connection)
    return found


def stored(secret: str) -> dict[str, Any]:
    return {"secret_hash": hash_secret(secret), "prefix": secret[:SHOWN_LENGTH]}


def with_secret(token: Token, secret: str) -> TokenWithSecret:
    return TokenWithSecret(**msgspec.structs.asdict(token), token=secret)


async def lock_parent(
    connection: Connection, actor: Actor, parents: Mapping[str, str], command: NewToken
) -> Parent:
    """Return a token of one tenant makes only tokens of that tenant."""
    await SQL.lock_tokens(connection)
    tenant_no = actor.tenant_no
    if command.tenant_id is not None:
        tenant_no = await find_tenant(connection, actor, command.tenant_id)
    return Parent({"tenant_no": tenant_no} | stored(parents[SECRET]), tenant_no)


async def lock(connection: Connection, actor: Actor, id_: UUID) -> Parent | None:
    await SQL.lock_tokens(connection)
    return await lock_row(connection, TOKENS, actor, id_)


async def validate(write: Write) -> Mapping[str, Any]:
    wanted: TokenFields = write.command
    if write.current is None:
        refuse_stillborn(wanted)
        await validate_first(write)
    elif not remains_in_charge(wanted):
        await refuse_last_admin(write)
    return {}


def refuse_stillborn(wanted: TokenFields) -> None:
    """Raise ValidationError for a new token that nobody could use."""
    if is_past(wanted.expires_at):
        raise ValidationError("expires_at", "is in the past; set a later time, or null for none")


def is_past(moment: datetime | None) -> bool:
    return moment is not None and moment <= datetime.now(UTC)


def remains_in_charge(wanted: TokenFields) -> bool:
    return wanted.role == "admin" and wanted.expires_at is None


async def validate_first(write: Write) -> None:
    """Refuse a token that is not an admin's first. Before it the service belongs to the operators of the host; that
    ends once, at the lock."""
    if not write.actor.bootstrap:
        return
    if await SQL.any_token(write.connection):
        raise Unauthorized
    wanted: NewToken = write.command
    for field, fits in (
        ("role", wanted.role == "admin"),
        ("tenant_id", wanted.tenant_id is None),
        ("expires_at", wanted.expires_at is None),
    ):
        if not fits:
            raise ValidationError(
                field, "the first token must have the role admin and neither tenant nor expiry"
            )


async def refuse_last_admin(write: Write) -> None:
    """Refuse to remove the last token that can do everything for ever, as seen by the API; the host's command line
    may."""
    others = await SQL.other_admins(write.connection, no=write.no)
    if write.current and is_in_charge(write.current) and not others:
        raise Conflict("this is the last admin token; create another one first", {"field": "role"})


def is_in_charge(row: Row) -> bool:
    return row["role"] == "admin" and row["tenant_id"] is None and row["expires_at"] is None


TOKENS = Entity(
    family=FAMILIES["tokens"],
    model=Token,
    create=NewToken,
    patch=TokenFields,
    view=view_text(SQL.token_view),
    keys=("tenant_no", "secret_hash", "prefix"),
    columns=TokenFields.__struct_fields__,
    scope="token.tenant_no",
    lock_parent=lock_parent,  # type: ignore[arg-type]  # it takes the entity's own command
    lock=lock,
    validate=validate,
    where="token.revoked_at is null",
    parents=frozenset({"tenant_id"}),
    filters={
        **TENANT,
        "name": equal("token.name"),
        "role": equal("token.role", one_of("admin", "operator", "viewer")),
        "q": texts("token.name", "token.prefix"),
    },
)
