"""The body of a bulk request, read in pieces: it may hold megabytes, and other requests wait while one is decoded.

One pass finds the operations and leaves their bodies as they are. Then each body is decoded by itself, no larger than
that of a request of its own, and other requests have a turn in between.
"""

import asyncio
from typing import Annotated

import msgspec
from msgspec import Meta

from ipam_core.errors import BadRequest, ValidationError
from ipam_core.model import decoding
from ipam_core.model.base import Command
from ipam_core.model.bulk import MAX_OPERATIONS, Bulk, Operation

MAX_BODY = 2 * 1024 * 1024
MAX_OPERATION = 64 * 1024


class RawOperation(Operation, kw_only=True, frozen=True):
    """An operation whose body is not read yet."""

    body: msgspec.Raw = msgspec.Raw(b"null")  # type: ignore[assignment]  # the same field, before it is decoded


class RawBulk(Command, kw_only=True, frozen=True):
    operations: Annotated[list[RawOperation], Meta(min_length=1, max_length=MAX_OPERATIONS)]
    dry_run: bool = False


DECODER = msgspec.json.Decoder(RawBulk)


async def read_bulk(data: bytes) -> Bulk:
    try:
        raw = DECODER.decode(data)
    except msgspec.ValidationError as error:
        raise decoding.named(error) from None
    except (msgspec.DecodeError, UnicodeDecodeError, RecursionError) as error:
        raise BadRequest(f"the body is not JSON: {error}") from None
    operations, since = [], 0
    for at, each in enumerate(raw.operations):
        operations.append(read_operation(each, f"operations[{at}]"))
        since += len(bytes(each.body))
        if since > MAX_OPERATION:
            since = 0
            await asyncio.sleep(0)
    return Bulk(operations=operations, dry_run=raw.dry_run)


def read_operation(raw: RawOperation, where: str) -> Operation:
    data = bytes(raw.body)
    if len(data) > MAX_OPERATION:
        raise ValidationError(
            f"{where}.body", f"must not be longer than {MAX_OPERATION} octets; split the operation"
        )
    decoding.refuse_nul(raw.path, f"{where}.path")
    body = decoding.parse_json(data, f"{where}.body")
    if not isinstance(body, dict | None):
        raise ValidationError(f"{where}.body", "must be a JSON object")
    return Operation(op=raw.op, path=raw.path, body=body, ref=raw.ref)
