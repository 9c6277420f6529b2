"""YAML that others wrote, within limits that are checked before anything is built.

The parser's events are counted first: one event is one step, so depth, nodes and what aliases repeat are known while
nothing but a counter has grown. Aliases are counted as often as they are used, because a reader of the document walks
them as often. Tags are refused: they choose how a value is made.

Two readings of YAML 1.1 are left out, because they would spoil values of a plan. A hardware address of digits alone,
52:54:00:12:34:56, is no number to the base of 60, and 2026-01-31 is no date. A key that is there twice is refused.
"""

from dataclasses import dataclass
from typing import Any

import yaml

from ipam_core.errors import IpamError

MOST_OCTETS = 64 << 20
DEEPEST = 64
MOST_NODES = 1_000_000
MOST_REPEATED = 100_000
"""Nodes that aliases repeat: a document that is short has no need of more."""
LONGEST_NUMBER = 40
MOST_SHOWN = 60

TAGS = "tag:yaml.org,2002:"
NUMBERS = {f"{TAGS}int", f"{TAGS}float"}


@dataclass(eq=False)
class YamlError(IpamError):
    """line {line}: {reason}"""

    line: int
    reason: str


class Entry(dict[str, Any]):
    """A mapping of the document. `line`: its first line; `lines`: the line of each key."""

    line = 1

    def __init__(self) -> None:
        super().__init__()
        self.lines: dict[str, int] = {}


class Loader(getattr(yaml, "CSafeLoader", yaml.SafeLoader)):  # type: ignore[misc]  # in C where PyYAML was built so
    """Loader of documents that were measured."""


def construct_entry(loader: Loader, node: yaml.MappingNode) -> Entry:
    entry = Entry()
    entry.line = node.start_mark.line + 1
    for key, _ in node.value:
        if not isinstance(key, yaml.ScalarNode) or key.value in entry.lines:
            reason = f"{key.value} is there twice" if isinstance(key, yaml.ScalarNode) else "must be a name"
            raise yaml.MarkedYAMLError(problem=reason, problem_mark=key.start_mark)
        entry.lines[key.value] = key.start_mark.line + 1
    entry.update(loader.construct_mapping(node, deep=True))
    return entry


def construct_number(loader: Loader, node: yaml.ScalarNode) -> Any:
    """Read digits beyond any number of ours as a text; int() takes quadratic time for them."""
    if ":" in node.value or len(node.value) > LONGEST_NUMBER:
        return node.value
    try:
        is_float = node.tag.endswith("float")
        return loader.construct_yaml_float(node) if is_float else loader.construct_yaml_int(node)
    except ValueError:
        return node.value


Loader.add_constructor(f"{TAGS}map", construct_entry)
Loader.add_constructor(f"{TAGS}timestamp", yaml.SafeLoader.construct_yaml_str)
for tag in NUMBERS:
    Loader.add_constructor(tag, construct_number)


def load(text: str) -> Any:
    """Return the document: mappings are Entry. Raises YamlError, which names the line."""
    try:
        if len(text) > MOST_OCTETS:
            raise YamlError(1, f"is larger than {MOST_OCTETS >> 20} MiB: split it")
        Measure().take(text)
        return yaml.load(text, Loader)  # noqa: S506 - a SafeLoader
    except yaml.MarkedYAMLError as error:
        mark = error.problem_mark or error.context_mark
        raise YamlError(mark.line + 1 if mark else 1, one_line(error.problem or error.context)) from None
    except (yaml.YAMLError, UnicodeError, ValueError, RecursionError) as error:
        raise YamlError(1, one_line(error)) from None


def one_line(reason: object) -> str:
    return " ".join(str(reason).split())


@dataclass
class Subtree:
    """A value: how many nodes it has so far, repeated ones included, and how many levels of collections."""

    anchor: str | None
    nodes: int = 1
    levels: int = 0

    def take(self, below: "Subtree") -> None:
        self.nodes += below.nodes
        self.levels = max(self.levels, below.levels + 1)


class Measure:
    """Counter of a document's events. `open`: collections, the outermost first. `known`: the value of each anchor, None
    while it is open."""

    def __init__(self) -> None:
        self.open: list[Subtree] = []
        self.known: dict[str, Subtree | None] = {}
        self.nodes = 0
        self.repeated = 0

    def take(self, text: str) -> None:
        """Raise YamlError at the first event beyond a limit."""
        for event in yaml.parse(text, Loader):
            if isinstance(event, yaml.NodeEvent):
                self.node(event, event.start_mark.line + 1)
            elif isinstance(event, yaml.CollectionEndEvent):
                self.finish(self.open.pop())

    def node(self, event: Any, line: int) -> None:
        if getattr(event, "tag", None) is not None:
            raise YamlError(line, f"{event.tag[:MOST_SHOWN]}: tags are not taken; write the value alone")
        if isinstance(event, yaml.AliasEvent):
            self.alias(event.anchor, line)
            return
        self.count(1, line)
        if isinstance(event, yaml.ScalarEvent):
            self.finish(Subtree(event.anchor))
            return
        self.check_depth(1, line)
        if event.anchor is not None:
            self.known[event.anchor] = None
        self.open.append(Subtree(event.anchor, levels=1))

    def alias(self, name: str, line: int) -> None:
        found = self.known.get(name, Subtree(name))  # the composer refuses one that is unknown
        if found is None:
            raise YamlError(line, f"*{name[:MOST_SHOWN]} is inside the value that it repeats")
        self.repeated += found.nodes
        if self.repeated > MOST_REPEATED:
            counted = f"aliases repeat {self.repeated} values, and {MOST_REPEATED} is the limit"
            raise YamlError(line, f"*{name[:MOST_SHOWN]}: {counted}: use fewer of them")
        self.check_depth(found.levels, line)
        self.count(found.nodes, line)
        if self.open:
            self.open[-1].take(found)

    def count(self, nodes: int, line: int) -> None:
        self.nodes += nodes
        if self.nodes > MOST_NODES:
            raise YamlError(
                line, f"this is value {self.nodes}, and {MOST_NODES} is the limit: split the file"
            )

    def check_depth(self, further: int, line: int) -> None:
        if len(self.open) + further > DEEPEST:
            raise YamlError(line, f"is nested deeper than {DEEPEST} levels")

    def finish(self, done: Subtree) -> None:
        if done.anchor is not None:
            self.known[done.anchor] = done
        if self.open:
            self.open[-1].take(done)
