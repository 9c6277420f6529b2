"""The options of a file, by whom they are for."""

from api.importers.dnsmasq.options import Given, gathered
from api.importers.lines import lose
from api.importers.options import Option
from api.importers.plan import Planner


class Offer:
    """`every`: in the order of the file. What is for who has some tags is for nobody else."""

    def __init__(self, planner: Planner) -> None:
        self.planner = planner
        self.every: list[Given] = []

    def standard(self, version: int, tags: set[str], beyond: set[str] | None = None) -> dict[int, Option]:
        """Return those whose tags are among these, and not all among those beyond; what asks for more tags goes
        before."""
        found: dict[int, Given] = {}
        for each in sorted(self.fitting(version, tags, beyond), key=lambda each: len(each.tags)):
            if each.option:
                self.tell_again(found.get(each.option.code), each)
                found[each.option.code] = each
        return {code: each.option for code, each in found.items() if each.option}

    def encapsulated(self, version: int, tags: set[str], beyond: set[str] | None = None) -> list[Option]:
        return gathered([each for each in self.fitting(version, tags, beyond) if each.option is None])

    def fitting(self, version: int, tags: set[str], beyond: set[str] | None) -> list[Given]:
        return [
            each
            for each in self.every
            if each.family == version
            and set(each.tags) <= tags
            and (beyond is None or not set(each.tags) <= beyond)
        ]

    def tell_again(self, earlier: Given | None, later: Given) -> None:
        """Report the last of two options for the same clients, which is dropped."""
        if earlier and len(earlier.tags) == len(later.tags) and earlier.source is not later.source:
            why = f"line {later.source.line} repeats it"
            lose(self.planner, earlier.source, "dropped", earlier.source.text, why)
