"""The lines of a dump as commands: quoted texts are one word, and user="...", vendor="..." stand apart."""

import re
from collections.abc import Iterator

from api.importers.lines import Line, lines_of

WORD = re.compile(
    r'(?P<name>user|vendor|comment)\s*=\s*(?:"(?P<quoted>[^"]*)"?|(?P<bare>\S*))|"(?P<text>[^"]*)"?|(?P<word>[^\s"]+)',
    re.I,
)
SERVER = re.compile(r"(?:netsh\s+)?dhcp\s+server\s+(?:(?P<host>\\\\\S+|[0-9.]{7,15})\s+)?", re.I)
SCOPE = re.compile(r"(?:(?P<version>v[46])\s+)?(?:scope\s+(?P<scope>[0-9a-f.:]+)\s+)?", re.I)


class Command(Line):
    """`scope`: the address of the scope that it is for; empty: the server. `words`: the others, the first two of which
    are what is done; `said`: what stands apart. A line that is no command has no words."""

    __slots__ = ("family", "said", "scope", "text")

    def __init__(self, line: int, text: str) -> None:
        super().__init__(line, [])
        self.text = text
        self.said: dict[str, str] = {}
        self.scope, self.family = "", 4
        server = SERVER.match(text)
        if server is None:
            return
        place = SCOPE.match(text, server.end())
        assert place is not None
        self.scope = place["scope"] or ""
        self.family = 6 if (place["version"] or "").lower() == "v6" or ":" in self.scope else 4
        for found in WORD.finditer(text, place.end()):
            self.take(found)

    def take(self, found: re.Match[str]) -> None:
        if found["name"]:
            self.said[found["name"].lower()] = found["quoted"] or found["bare"] or ""
        else:
            self.words.append(found["text"] if found["word"] is None else found["word"])

    @property
    def name(self) -> str:
        """Such as `add scope`."""
        return " ".join(self.words[:2]).lower()

    def word(self, at: int) -> str:
        """Return the word behind the name."""
        return self.words[at + 2] if at + 2 < len(self.words) else ""

    def number(self, at: int) -> int:
        """Return the number; 0 where it is none."""
        text = self.word(at)
        return int(text) if text.isdecimal() and len(text) < 10 else 0


def commands(text: str) -> Iterator[Command]:
    for number, line in enumerate(lines_of(text), 1):
        plain = line.strip().lstrip("\ufeff")
        if plain and not plain.startswith("#"):
            yield Command(number, plain)
