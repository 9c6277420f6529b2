"""Statements of dhcpd.conf: words up to a semicolon, or up to a block of further statements in braces."""

import re
from collections.abc import Iterator
from typing import NamedTuple

from api.importers.faults import SourceError

DEEPEST = 32
LONGEST = 65_536
TOKEN = re.compile(
    r"""(?P<blank>[ \t\r\n\f\v\ufeff]+|\#[^\n]*)
    |(?P<text>"(?:[^"\\\n]++|\\[^\n])*+")
    |(?P<mark>[{};,()=])
    |(?P<word>[^\s{};,()="\#]+)""",
    re.VERBOSE,
)


class Word(NamedTuple):
    """`quoted`: it was a text; `escaped`: that as it stood in the file, between its quotes."""

    text: str
    quoted: bool
    line: int
    escaped: str = ""


class Statement:
    """Its words, commas and parentheses too; and what stands in its braces. `fate`: whether it was read into an object,
    or told in a warning; none yet."""

    def __init__(self, words: list[Word], block: "list[Statement] | None") -> None:
        self.words = words
        self.block = block
        self.line = words[0].line
        self.fate = ""

    @property
    def name(self) -> str:
        return self.words[0].text.lower()

    @property
    def text(self) -> str:
        """Its words after the first."""
        return " ".join(each.text for each in self.words[1:])

    def word(self, at: int) -> str:
        return self.words[at].text if at < len(self.words) else ""

    def starts(self, *names: str) -> bool:
        return [each.text.lower() for each in self.words[: len(names)]] == list(names)

    def whole(self) -> "Iterator[Statement]":
        """Yield the statement itself, and all in it."""
        yield self
        for each in self.block or ():
            yield from each.whole()

    def settle(self, fate: str, below: bool = False) -> None:
        for each in self.whole() if below else (self,):
            each.fate = each.fate or fate


def load(text: str) -> list[Statement]:
    """Raise SourceError, which names the line."""
    return block_of(tokens(text), 0, closed=False)


def tokens(text: str) -> Iterator[tuple[str, Word]]:
    at, line = 0, 1
    while at < len(text):
        found = TOKEN.match(text, at)
        if found is None:
            raise SourceError(line, "has a text that does not end in its line")
        kind = str(found.lastgroup)
        if kind != "blank" and len(found[0]) > LONGEST:
            raise SourceError(line, f"has a word of more than {LONGEST} characters")
        if kind == "text":
            yield kind, Word(unquoted(found[0][1:-1]), True, line, found[0][1:-1])
        elif kind != "blank":
            yield kind, Word(found[0], False, line)
        line += found[0].count("\n")
        at = found.end()


def unquoted(text: str) -> str:
    return re.sub(r"\\(.)", r"\1", text)


def block_of(words: Iterator[tuple[str, Word]], depth: int, closed: bool) -> list[Statement]:
    """Return the block up to the brace that ends it, or the end of the file."""
    if depth > DEEPEST:
        raise SourceError(
            next(words, ("", Word("", False, 1)))[1].line, f"is nested deeper than {DEEPEST} levels"
        )
    found: list[Statement] = []
    said: list[Word] = []
    line = 1
    for kind, word in words:
        line = word.line
        if kind == "mark" and word.text == "{" and said and said[-1].text == "=":
            said.append(record(words, word))
        elif kind == "mark" and word.text == "{":
            if not said:
                raise SourceError(line, "{ is not the beginning of a statement")
            found.append(Statement(said, block_of(words, depth + 1, closed=True)))
            said = []
        elif kind == "mark" and word.text in ";}":
            if said and word.text == "}":
                raise SourceError(line, f"; is missing behind {said[-1].text}")
            if said:
                found.append(Statement(said, None))
                said = []
            if word.text == "}":
                if not closed:
                    raise SourceError(line, "} closes nothing")
                return found
        else:
            said.append(word)
    if said or closed:
        raise SourceError(line, f"ends in the middle of {said[0].text}" if said else "lacks a } at its end")
    return found


def record(words: Iterator[tuple[str, Word]], opening: Word) -> Word:
    """Return a record such as { integer 8, text }, the layout of an option, as one word."""
    inside: list[str] = []
    for kind, word in words:
        if kind == "mark" and word.text == "}":
            return Word(f"{{ {' '.join(inside)} }}", False, opening.line)
        inside.append(word.text)
    raise SourceError(opening.line, "lacks a } at its end")
