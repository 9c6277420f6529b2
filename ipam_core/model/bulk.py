"""Many operations as one: all of them happen, or none."""

from typing import Annotated, Any, Literal

import msgspec
from msgspec import UNSET, Meta, UnsetType

from ipam_core.model.base import Command
from ipam_core.model.impact import Impact

MAX_OPERATIONS = 1000

Ref = Annotated[str, Meta(pattern="^[A-Za-z_][A-Za-z0-9_-]{0,62}$")]


class Operation(Command, kw_only=True, frozen=True):
    """A create at a collection's path, an update (merge patch) or a delete at an item's. `ref` names what a create
    made: `$name` stands for its id in later paths and bodies."""

    op: Literal["create", "update", "delete"]
    path: Annotated[str, Meta(min_length=1, max_length=1024)]
    body: dict[str, Any] | None = None
    ref: Ref | None = None


class Bulk(Command, kw_only=True, frozen=True):
    operations: Annotated[list[Operation], Meta(min_length=1, max_length=MAX_OPERATIONS)]
    dry_run: bool = False


class OperationResult(msgspec.Struct, frozen=True):
    """What the operation would have been answered by itself."""

    index: int
    status: int
    body: Any


class BulkResults(msgspec.Struct, frozen=True):
    """`impact`: of a dry run, what the operations would do beside what they say."""

    results: list[OperationResult]
    impact: Impact | UnsetType = UNSET
