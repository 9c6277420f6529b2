"""Many operations as one: all of them happen, or none."""

from typing import Annotated, Any, Literal

import msgspec
from msgspec import UNSET, Meta, UnsetType

from ipam_core.model.base import Command
from ipam_core.model.impact import Impact

MAX_OPERATIONS = 1000

Ref = Annotated[str, Meta(pattern="^[A-Za-z_][A-Za-z0-9_-]{0,62}$")]


class Operation(Command, kw_only=True, frozen=True):
    """Create at a collection's path, or update (merge patch) or delete at an item's. `ref` names a created object:
    later paths and bodies refer to its id as `$name`."""

    op: Literal["create", "update", "delete"]
    """`create` at a collection's path, `update` (a merge patch) or `delete` at an item's."""

    path: Annotated[str, Meta(min_length=1, max_length=1024)]
    """Path without /api/v1, such as /subnets or /subnets/$net/pools."""

    body: dict[str, Any] | None = None
    """Body of a request to the path. Null: for a delete."""

    ref: Ref | None = None
    """Name for the id of a created object: later paths and bodies refer to it as $NAME. Null: no name."""


class Bulk(Command, kw_only=True, frozen=True):
    operations: Annotated[list[Operation], Meta(min_length=1, max_length=MAX_OPERATIONS)]
    """Operations, performed in order in one transaction: all of them, or none. 1 to 1,000."""

    dry_run: bool = False


class OperationResult(msgspec.Struct, frozen=True):
    """Status and body that a single request would have been answered with."""

    index: int
    """Position of the operation, from 0."""

    status: int
    """HTTP status that a single request would have had."""

    body: Any
    """Body that a single request would have been answered with."""


class BulkResults(msgspec.Struct, frozen=True):
    """Results of a bulk. `impact`: for a dry run, further effects of the operations."""

    results: list[OperationResult]
    """One result per operation, in order."""

    impact: Impact | UnsetType = UNSET
    """For a dry run: further effects of the operations."""
