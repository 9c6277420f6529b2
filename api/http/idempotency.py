"""Idempotency-Key: a create that is sent twice happens once, and both get the same answer.

The kept answer is written in the transaction of what it answers, so neither can be there without the
other, and a crash leaves nothing behind. While that transaction runs, a lock that goes with it stands for
"in progress". What a retry may mend is not kept: 5xx, 429, 401, 403. Answers that hold a new token's
secret are sealed under a key that only the caller has.
"""

import hashlib
import os
from collections.abc import Awaitable, Callable
from functools import partial
from typing import Any
from urllib.parse import quote
from uuid import UUID

import msgspec
from cryptography.exceptions import InvalidTag
from cryptography.hazmat.primitives.ciphers.aead import AESGCM

from api.http import errors
from api.http.context import AnyRequest, actor_of
from api.http.errors import Answer
from ipam_core.db import queries
from ipam_core.errors import IdempotencyInProgress, IdempotencyReused, IpamError, ValidationError
from ipam_core.services.entity.entity import Connection, Row
from ipam_core.services.entity.tenant_limits import refuse_excess_keys

SQL = queries.load("idempotency")

HEADER = "idempotency-key"
MAX_KEY = 255
MAX_CANONICAL = 64 * 1024
NOT_KEPT = {401, 403, 429}
NONCE = 12
BOOTSTRAP = UUID(int=0)

Perform = Callable[[Connection], Awaitable[Answer]]


class Attempt(msgspec.Struct, frozen=True):
    """Attempt with the key that makes two requests the same one, and the parts that must then be equal."""

    token_id: UUID
    method: str
    path: str
    key: str
    body_hash: bytes
    seal: AESGCM | None
    request_id: str
    role: str
    tenant_no: int | None

    @property
    def row(self) -> dict[str, Any]:
        return {"token_id": self.token_id, "method": self.method, "path": self.path, "key": self.key}


def read_attempt(request: AnyRequest, body: bytes, secret: bool) -> Attempt | None:
    """Return None without the header. The key is stored as its hash: the seal hangs on it."""
    given = request.headers.get(HEADER)
    if given is None:
        return None
    if not 1 <= len(given) <= MAX_KEY or not given.isprintable():
        raise ValidationError("Idempotency-Key", f"must be 1 to {MAX_KEY} printable characters")
    actor = actor_of(request)
    material = request.headers.get("authorization", "") + "\n" + given
    return Attempt(
        token_id=actor.token_id or BOOTSTRAP,
        method=request.method,
        path=quote(request.scope["path"]),  # as it was sent: PostgreSQL's text takes no NUL
        key=hashlib.sha256(given.encode()).hexdigest(),
        body_hash=hashlib.sha256(canonical(body) + request.scope["query_string"]).digest(),
        seal=AESGCM(hashlib.sha256(material.encode()).digest()) if secret else None,
        request_id=actor.request_id or "",
        role=actor.role,
        tenant_no=actor.tenant_no,
    )


def guarded(request: AnyRequest, body: bytes, perform: Perform, secret: bool = False) -> Perform:
    """Perform `perform`, once a key if the request brings one."""
    attempt = read_attempt(request, body, secret)
    return partial(once, attempt=attempt, perform=perform) if attempt else perform


def canonical(body: bytes) -> bytes:
    """Return the body's canonical form: the same JSON in another order of members or with other blanks is the same
    body. A bulk's megabytes are compared as they were sent: to decode them at once would keep other requests
    waiting."""
    if len(body) > MAX_CANONICAL:
        return body
    try:
        return msgspec.json.encode(msgspec.json.decode(body), order="sorted")
    except (msgspec.MsgspecError, ValueError, RecursionError):
        return body


async def once(connection: Connection, attempt: Attempt, perform: Perform) -> Answer:
    """Return the kept answer, or the new one, kept."""
    async with connection.transaction():
        if not await SQL.try_lock(connection, **attempt.row):
            raise IdempotencyInProgress
        kept = await SQL.find_answer(connection, **attempt.row)
        if kept is not None:
            return replay(kept, attempt)
        answer = await attempt_inside(connection, attempt, perform)
        await keep(connection, attempt, answer)
        await refuse_excess_keys(connection, attempt.tenant_no)
    return answer


async def attempt_inside(connection: Connection, attempt: Attempt, perform: Perform) -> Answer:
    """Undo the request's effects if it is refused, and keep the refusal."""
    try:
        async with connection.transaction():
            return await perform(connection)
    except IpamError as error:
        refusal = errors.answer(error, attempt.request_id)
        if refusal.status in NOT_KEPT or refusal.status >= 500:
            raise
        return refusal


async def keep(connection: Connection, attempt: Attempt, answer: Answer) -> None:
    await SQL.keep_answer(
        connection,
        **attempt.row,
        body_hash=attempt.body_hash,
        status=answer.status,
        headers=answer.headers,
        body=sealed(attempt.seal, answer.body),
        role=attempt.role,
    )


def replay(kept: Row, attempt: Attempt) -> Answer:
    """Return the kept answer. It was written for the role that the token had then, so another role does not get it
    (decisions: Redaction); the version before kept no role."""
    if kept["body_hash"] != attempt.body_hash or kept["role"] not in (None, attempt.role):
        raise IdempotencyReused
    body = opened(attempt.seal, kept["body"])
    return Answer(kept["status"], body, kept["headers"] | {"idempotency-replayed": "true"})


def sealed(seal: AESGCM | None, body: bytes) -> bytes:
    if seal is None:
        return body
    nonce = os.urandom(NONCE)
    return nonce + seal.encrypt(nonce, body, None)


def opened(seal: AESGCM | None, body: bytes) -> bytes:
    if seal is None:
        return body
    try:
        return seal.decrypt(body[:NONCE], body[NONCE:], None)
    except InvalidTag:  # the token has got another secret since
        raise IdempotencyReused from None
