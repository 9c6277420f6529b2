"""Options as Kea's option-data, and their definitions as its option-def."""

from collections.abc import Iterable, Mapping
from typing import Any

from api.exporters.options import octets_of, text_of
from api.exporters.said import Fields, Losses, Said
from api.importers.kea.options import KINDS, SPACES
from ipam_core.dhcp import registry
from ipam_core.dhcp.kinds.definition import OptionDef

UNDEFINED: dict[int, frozenset[int]] = {
    4: frozenset({95, 121, 142, 145, 147, 148, 150, *range(152, 158), 161, 209, 210, 211, 249, 252}),
    6: frozenset({49, 72, 73, 76, 77, 86, 90, 100, 101, 102, *range(105, 113), 141, 142, 145}),
}
"""Standard options that Kea 2.2 knows nothing of: their data is octets. Later versions read these as well."""
RENAMED: dict[int, frozenset[int]] = {4: frozenset(), 6: frozenset({82, 143})}
"""Standard options that Kea calls otherwise."""
TYPES = {
    kind: type_ for type_, kind in KINDS.items() if type_ not in ("record", "ipv4-address", "ipv6-address")
}
ADDRESSES = {4: "ipv4-address", 6: "ipv6-address"}


class OptionWriter:
    """Options of one family. `own`: what the plan defines."""

    def __init__(self, losses: Losses, family: int, own: Iterable[OptionDef]) -> None:
        self.losses = losses
        self.family = family
        self.own = [each for each in own if each.family == family]

    def definitions(self, entries: Iterable[Said]) -> list[Fields]:
        return [made for each in entries if (made := self.definition(each)) is not None]

    def definition(self, said: Said) -> Fields | None:
        if said.take("family", 4) != self.family:
            return None
        if said.fields.get("vendor_space"):
            self.losses.whole(said, "is of a vendor's options, whose data is octets in Kea's file")
            return None
        kind, array = said.take("kind"), said.take("array", False)
        type_ = (
            ADDRESSES[self.family] if kind == "address" else TYPES.get("string" if kind == "ascii" else kind)
        )
        if type_ in (None, "string") and kind != "string":
            self.losses.tell(f"{said.what}: kind {kind}", f"is {type_ or 'octets'} in Kea's file")
        made = {
            "name": said.take("name"),
            "code": said.take("code"),
            "type": type_ or "binary",
            "array": array,
        }
        return made | {"space": SPACES[self.family]}

    def all(self, entries: Iterable[Said]) -> list[Fields]:
        return [made for each in entries for made in self.option(each)]

    def option(self, said: Said) -> list[Fields]:
        if said.fields.get("family", self.family) != self.family:
            return []
        for name, why in (
            ("vendor_class", "is for clients of this vendor alone: make a class for them"),
            ("never_send", "Kea 2.2 cannot withhold what a wider scope has"),
        ):
            if said.fields.get(name):
                self.losses.whole(said, why)
                return []
        made = self.data(said.take("code"), said.take("payload"))
        said.take("family")
        flag = {"always-send": True} if said.take("always_send") else {}
        return [each | flag for each in made]

    def data(self, code: int, payload: Mapping[str, Any]) -> list[Fields]:
        """Return one entry, or one for each option that the payload becomes."""
        definition = registry.resolve(self.family, code, None, self.own)
        known = code not in UNDEFINED[self.family] and not definition.name.startswith("option-")
        text = text_of(definition, payload) if known else None
        if text is not None:
            name = {} if code in RENAMED[self.family] else {"name": definition.name}
            return [name | {"code": code, "data": text}]
        return [
            {"code": code, "csv-format": False, "data": each.hex()} for each in octets_of(definition, payload)
        ]
