"""Objects of a plan that know which of their fields nobody has said in another server's words, so that none is lost in
silence."""

from collections.abc import Iterator, Mapping
from functools import cache
from typing import Any, NamedTuple

import msgspec

from api.importers.plan import label
from ipam_core.model.families import FAMILIES, IN_FILES

Fields = dict[str, Any]
LISTS = {(family.below or family.name).replace("-", "_"): family.items.name for family in IN_FILES}
"""Members of an entry that hold further objects, and their families."""


DDNS_FIELDS = (
    *(
        "ddns_enabled",
        "ddns_adapter",
        "ddns_dns_server",
        "ddns_forward_zone",
        "ddns_reverse_zone",
        "ddns_domain",
        "ddns_client_domains",
    ),
    *("ddns_ttl", "ddns_override_no_update", "ddns_override_client_update", "ddns_replace_client_name"),
    *("ddns_generated_prefix", "ddns_conflict_mode"),
)


class Lost(NamedTuple):
    """Field that the other server does not get, and the reason."""

    what: str
    why: str


class Said:
    """An object. `inside`: what it stands in, for messages."""

    def __init__(self, family: str, fields: Mapping[str, Any], inside: str = "") -> None:
        self.fields = fields
        usual = defaults(family)
        self.left = {
            name: value
            for name, value in fields.items()
            if name not in LISTS and value not in (None, [], {}) and value != usual.get(name)
        }
        self.what = label(family, fields) + (f" in {inside}" if inside else "")

    def take(self, name: str, default: Any = None) -> Any:
        """Return a field, which counts as said from now on."""
        return self.left.pop(name, default)

    def below(self, name: str) -> "list[Said]":
        return [Said(LISTS[name], each, self.what) for each in self.fields.get(name) or ()]

    def lists(self) -> Iterator[str]:
        return (name for name in LISTS if self.fields.get(name))


@cache
def defaults(family: str) -> Fields:
    """Return the defaults of fields, which need not be exported."""
    return {each.name: each.default for each in msgspec.structs.fields(FAMILIES[family].new)}


class Losses:
    """Collector of lost fields; `server` is its name in messages."""

    def __init__(self, server: str, reasons: Mapping[str, str]) -> None:
        self.found: list[Lost] = []
        self.server = server
        self.reasons = reasons

    def tell(self, what: str, why: str) -> None:
        self.found.append(Lost(what, why))

    def rest(self, said: Said) -> None:
        """Record the fields of an exported object that nothing has covered."""
        for name, value in said.left.items():
            why = self.reasons.get(name, f"has no counterpart in {self.server}")
            self.tell(f"{said.what}: {name} {value}", why)
        said.left.clear()

    def whole(self, said: Said, why: str) -> None:
        """Record an object that is not exported, with all its fields."""
        self.tell(said.what, why)
        said.left.clear()
        for name in said.lists():
            for each in said.below(name):
                self.whole(each, "is inside an omitted part")
