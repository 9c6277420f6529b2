"""JSON as Kea takes it: with comments of three kinds, and commas behind the last member. Mappings know their lines."""

import json
import re
from collections.abc import Iterator
from typing import Any, NamedTuple

from api.importers.faults import SourceError
from api.importers.source import Entry

DEEPEST = 64
TOKEN = re.compile(
    r"""(?P<blank>[ \t\r\n\ufeff]+|//[^\n]*|\#[^\n]*|/\*.*?\*/)
    |(?P<include><\?include[^>]*>)
    |(?P<string>"(?:[^"\\\n]++|\\[^\n])*+")
    |(?P<plain>-?[0-9][0-9.eE+-]*|true|false|null)
    |(?P<mark>[{}\[\],:])""",
    re.DOTALL | re.VERBOSE,
)


class Token(NamedTuple):
    kind: str
    text: str
    line: int


def tokens(text: str) -> Iterator[Token]:
    at, line = 0, 1
    while at < len(text):
        found = TOKEN.match(text, at)
        if found is None:
            raise SourceError(line, f"is no JSON at {text[at : at + 20].split()[0]!r}")
        kind = str(found.lastgroup)
        if kind == "include":
            raise SourceError(
                line,
                "includes another file: put its text here, or take the answer of config-get, which has it all",
            )
        if kind != "blank":
            yield Token(kind, found[0], line)
        line += found[0].count("\n")
        at = found.end()
    yield Token("end", "the end of the file", line)


def load(text: str) -> Any:
    """Raise SourceError, which names the line."""
    reader = Reader(tokens(text))
    value = reader.value(0)
    reader.expect("end")
    return value


class Reader:
    """One token ahead of what was read."""

    def __init__(self, source: Iterator[Token]) -> None:
        self.source = source
        self.next = next(source)

    def step(self) -> Token:
        token, self.next = self.next, next(self.source, self.next)
        return token

    def is_mark(self, text: str) -> bool:
        return self.next.kind == "mark" and self.next.text == text

    def expect(self, wanted: str) -> Token:
        """Return a mark, or a kind of token."""
        if wanted not in (self.next.kind, self.next.text if self.next.kind == "mark" else ""):
            raise SourceError(self.next.line, f"{wanted} is expected instead of {self.next.text}")
        return self.step()

    def value(self, depth: int) -> Any:
        if depth > DEEPEST:
            raise SourceError(self.next.line, f"is nested deeper than {DEEPEST} levels")
        if self.is_mark("{"):
            return self.mapping(depth)
        if self.is_mark("["):
            return self.list(depth)
        if self.next.kind not in ("string", "plain"):
            raise SourceError(self.next.line, f"a value is expected instead of {self.next.text}")
        token = self.step()
        try:
            return json.loads(token.text, strict=False)
        except ValueError:
            raise SourceError(token.line, f"{token.text[:40]} is no value of JSON") from None

    def mapping(self, depth: int) -> Entry:
        entry = Entry(self.step().line)
        while not self.is_mark("}"):
            name = self.expect("string")
            self.expect(":")
            key = str(json_text(name))
            if key in entry:
                raise SourceError(name.line, f"{key} is there twice")
            entry.lines[key] = name.line
            entry[key] = self.value(depth + 1)
            if not self.is_mark("}"):
                self.expect(",")
        self.step()
        return entry

    def list(self, depth: int) -> list[Any]:
        self.step()
        found = []
        while not self.is_mark("]"):
            found.append(self.value(depth + 1))
            if not self.is_mark("]"):
                self.expect(",")
        self.step()
        return found


def json_text(token: Token) -> Any:
    try:
        return json.loads(token.text, strict=False)
    except ValueError:
        raise SourceError(token.line, f"{token.text[:40]} is no name of JSON") from None
