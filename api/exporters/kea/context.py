"""Notes of people on an object, as Kea's user-context: an import finds them there."""

from typing import Any

from api.exporters.said import Fields, Said
from api.importers.kea.context import KEPT


def context(said: Said) -> Fields:
    """Return what people write of an object."""
    found: Fields = {}
    comment: Any = said.take("description")
    if comment:
        found["comment"] = comment
    found |= {name: value for name in KEPT if (value := said.take(name)) is not None}
    return {"user-context": found} if found else {}
