"""Commands of an export: in sections (`/ip pool`, then `add ...`), or each with its section before it. The arguments of
those of the DHCP server are statements."""

import re
from collections.abc import Iterator

from api.importers.faults import SourceError
from api.importers.source import Entry

SECTIONS = (
    *("ip pool", "ip dhcp-server", "ip dhcp-server network", "ip dhcp-server lease", "ip dhcp-server option"),
    *(
        "ip dhcp-server option sets",
        "ip dhcp-server config",
        "ip dhcp-server alert",
        "ip dhcp-server matcher",
    ),
    *("ip dhcp-server vendor-class-id", "ipv6 dhcp-server", "ipv6 pool", "ipv6 dhcp-server binding"),
    *("ipv6 dhcp-server option", "ipv6 dhcp-server option sets"),
)
ADDRESSES = "ip address"
VERBS = ("add", "set", "remove")
CONTINUED = re.compile(r"\\\n[ \t]*")
WORD = re.compile(r'\s*(?:(\[[^\]\n]*\])|([\w.-]+)=("(?:\\.|[^"\\]++)*+"|[^\s"]*)|([^\s="]+))')
ESCAPED = re.compile(r"\\(?:([0-9A-F]{2})|(.))", re.DOTALL)
LETTERS = {"n": "\n", "r": "\r", "t": "\t", "_": " ", "a": "\a", "b": "\b", "f": "\f", "v": "\v"}


class Command(Entry):
    """Its arguments. `section` is its menu, `verb` one of VERBS."""

    def __init__(self, line: int, section: str, verb: str) -> None:
        super().__init__(line)
        self.section = section
        self.verb = verb

    def flag_of(self, name: str) -> bool | None:
        value = self.text(name)
        return None if value is None else value == "yes"

    def list_of(self, name: str) -> list[str]:
        return [each for each in (self.text(name) or "").split(",") if each]


def load(text: str) -> Iterator[Command]:
    """Raise SourceError where an argument has no end."""
    section = ""
    for line, said in lines(text):
        if said.startswith("/"):
            section, _, said = parted(said[1:])
        verb = said.split(" ", 1)[0]
        if verb in VERBS and section in (*SECTIONS, ADDRESSES):
            yield arguments(Command(line, section, verb), said[len(verb) :])


def lines(text: str) -> Iterator[tuple[int, str]]:
    """Yield lines without comments, each with those that continue it; a backslash at the end of a line is part of a
    word too."""
    line = 1
    for said in re.split(r"(?<!\\)\n", text):
        joined = CONTINUED.sub("", said).strip()
        if joined and not joined.startswith("#"):
            yield line, joined
        line += said.count("\n") + 1


def parted(said: str) -> tuple[str, str, str]:
    """Return `ip pool add name=x` as its section and the rest."""
    found = re.search(rf"(?:^|\s)(?=(?:{'|'.join(VERBS)})(?:\s|$))", said)
    return (said[: found.start()].strip(), "", said[found.end() :]) if found else (said.strip(), "", "")


def arguments(command: Command, said: str) -> Command:
    at, said = 0, said.rstrip()
    while at < len(said):
        found = WORD.match(said, at)
        if found is None:
            raise SourceError(command.line, f"is not understood at {said[at : at + 40].strip()[:20]!r}")
        which, name, value, word = found.groups()
        if name:
            command[name], command.lines[name] = unquoted(value), command.line
        elif which or word:
            command[which or word], command.lines[which or word] = "", command.line
        at = found.end()
    return command


def unquoted(value: str) -> str:
    if not value.startswith('"'):
        return value
    return ESCAPED.sub(letter, value[1:-1])


def letter(found: re.Match[str]) -> str:
    return chr(int(found[1], 16)) if found[1] else LETTERS.get(found[2], found[2])
