"""XML as statements that know whether anybody has read them.

Elements go by their local names: Windows declares a namespace at the root and none below. What is empty says nothing,
and is no statement. Document types are refused, so that no entity makes a small file large.
"""

from typing import Any
from xml.parsers import expat

from api.importers.faults import SourceError
from api.importers.source import Entry

DEEPEST = 64
NAMESPACE_END = "}"


class Element(Entry):
    """An element with others below it. One that stands alone is read as a list too, where lists are asked for."""

    def put(self, name: str, value: Any, line: int) -> None:
        if name not in self:
            self[name], self.lines[name] = value, line
        elif isinstance(self[name], list):
            self[name].append(value)
        else:
            self[name] = [self[name], value]

    def entries(self, name: str) -> list[Any]:
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


def load(text: str) -> Element:
    """A mapping that holds the root under its name. Raises SourceError, which names the line."""
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
            self.line, "declares a document type or an entity, which no export has: take that out"
        )

    def start(self, name: str, _: Any) -> None:
        if len(self.open) > DEEPEST:
            raise SourceError(self.line, f"is nested deeper than {DEEPEST} levels")
        self.open.append((name.rpartition(NAMESPACE_END)[2], Element(self.line)))
        self.text.clear()

    def end(self, _: str) -> None:
        name, element = self.open.pop()
        text = "".join(self.text).strip()
        self.text.clear()
        if element or text:
            self.open[-1][1].put(name, element or text, element.line)
