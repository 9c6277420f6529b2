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
    path: Annotated[str, Meta(min_length=1, max_length=1024)]
    body: dict[str, Any] | None = None
    ref: Ref | None = None


class Bulk(Command, kw_only=True, frozen=True):
    operations: Annotated[list[Operation], Meta(min_length=1, max_length=MAX_OPERATIONS)]
    dry_run: bool = False


class OperationResult(msgspec.Struct, frozen=True):
    """Status and body that a single request would have been answered with."""

    index: int
    status: int
    body: Any


class BulkResults(msgspec.Struct, frozen=True):
    """Results of a bulk. `impact`: for a dry run, further effects of the operations."""

    results: list[OperationResult]
    impact: Impact | UnsetType = UNSET
