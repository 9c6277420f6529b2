"""What the structs of all families are made of.

A family has two: the command, which says what a client may write, with a default for all that may be left
out, and the model, which is what the service answers: canonical text for addresses and moments, so that
JSON, the audit trail and an entity tag see the same thing. A model's fields bear the names of its command's
fields, which is what makes a merge patch possible: current values, patched, are a command again.
"""

from typing import Annotated, ClassVar

import msgspec
from msgspec import Meta

Name = Annotated[str, Meta(max_length=255)]
Text = Annotated[str, Meta(max_length=4096)]
Id = Annotated[str, Meta(max_length=255)]
Seconds = Annotated[int, Meta(ge=1, le=2**31 - 1)]


class Command(msgspec.Struct, kw_only=True, frozen=True, forbid_unknown_fields=True):
    """What a client may write."""


class Model(msgspec.Struct, kw_only=True, frozen=True):
    """What the service answers. `beside`: fields that are no property of the object. `untagged`: those that its entity
    tag does not know, because they change without anybody's doing."""

    beside: ClassVar[tuple[str, ...]] = ()
    untagged: ClassVar[tuple[str, ...]] = ()

    id: str
    created_at: str
    updated_at: str
