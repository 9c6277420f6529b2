"""XML as statements that know whether anybody has read them.

What is empty says no value: it may be a flag, and is no statement. Document types and entities are refused, so that
none makes a small file large.
"""

from collections.abc import Iterator
from typing import Any
from xml.parsers import expat

from api.importers.faults import SourceError
from api.importers.source import Entry

DEEPEST = 64
NAMESPACE_END = "}"


class Element(Entry):
    """An element with others below it, by their local names; one that is there several times is a list. `flags`: those
    that are there and empty."""

    def __init__(self, line: int = 1, attributes: dict[str, str] | None = None) -> None:
        super().__init__(line)
        self.attributes = attributes or {}
        self.flags: set[str] = set()

    def put(self, name: str, value: Any, line: int) -> None:
        if name not in self:
            self[name], self.lines[name] = value, line
        elif isinstance(self[name], list):
            self[name].append(value)
        else:
            self[name] = [self[name], value]

    def elements(self, name: str) -> "list[Element]":
        """Return one that stands alone too."""
        return self.listed(name, Element)

    def texts(self, name: str) -> list[str]:
        return self.listed(name, str)

    def listed(self, name: str, kind: type) -> list[Any]:
        value = self.get(name)
        found = value if isinstance(value, list) else [value]
        if not all(isinstance(each, kind) for each in found):
            return []
        self.read.add(name)
        return found

    def element(self, name: str) -> "Element":
        """Return an empty one where there is none."""
        found = self.elements(name)
        return found[0] if len(found) == 1 else Element(self.line)

    def is_set(self, name: str) -> bool:
        """Return a flag, or a text that says yes."""
        return name in self.flags or self.text(name) in ("1", "yes", "on", "enabled", "true")

    def named(self) -> "Iterator[tuple[str, Element]]":
        """Yield elements that are known by their names."""
        for name in list(self):
            found = self.elements(name)
            if len(found) == 1:
                yield name, found[0]


def load(text: str) -> Element:
    """Return a mapping that holds the root under its name. Raises SourceError, which names the line."""
    return Loader().load(text)


class Loader:
    """Elements that are open, and the text of the innermost."""

    def __init__(self) -> None:
        self.open: list[tuple[str, Element]] = [("", Element())]
        self.text: list[str] = []
        self.parser = expat.ParserCreate("utf-8", NAMESPACE_END)
        self.parser.StartElementHandler = self.start
        self.parser.EndElementHandler = self.end
        self.parser.CharacterDataHandler = self.text.append
        self.parser.StartDoctypeDeclHandler = self.refuse
        self.parser.EntityDeclHandler = self.refuse

    @property
    def line(self) -> int:
        return max(self.parser.CurrentLineNumber, 1)

    def load(self, text: str) -> Element:
        try:
            self.parser.Parse(text.encode("utf-8", "replace"), True)
        except expat.ExpatError as error:
            raise SourceError(max(error.lineno, 1), f"is no XML: {expat.ErrorString(error.code)}") from None
        return self.open[0][1]

    def refuse(self, *_: Any) -> None:
        raise SourceError(
            self.line, "declares a document type or an entity, which no configuration has: take that out"
        )

    def start(self, name: str, attributes: dict[str, str]) -> None:
        if len(self.open) > DEEPEST:
            raise SourceError(self.line, f"is nested deeper than {DEEPEST} levels")
        self.open.append((name.rpartition(NAMESPACE_END)[2], Element(self.line, attributes)))
        self.text.clear()

    def end(self, _: str) -> None:
        name, element = self.open.pop()
        text = "".join(self.text).strip()
        self.text.clear()
        if element or element.flags or element.attributes:
            self.open[-1][1].put(name, element, element.line)
        elif text:
            self.open[-1][1].put(name, text, element.line)
        else:
            self.open[-1][1].flags.add(name)
