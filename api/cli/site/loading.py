"""YAML whose mappings know in which lines they stand.

Two readings of YAML 1.1 are left out, because they spoil what a plan consists of: a hardware address of digits alone,
52:54:00:12:34:56, is no number to the base of 60, and 2026-01-31 is no date. A key that is there twice is refused.
"""

from pathlib import Path
from typing import Any

import yaml

from api.cli.site.faults import Fault, SiteError

TAGS = "tag:yaml.org,2002:"
NUMBERS = {f"{TAGS}int", f"{TAGS}float"}


class Entry(dict[str, Any]):
    """A mapping of the file. `line`: where it begins; `lines`: where each key stands."""

    line = 1

    def __init__(self) -> None:
        super().__init__()
        self.lines: dict[str, int] = {}


class Loader(getattr(yaml, "CSafeLoader", yaml.SafeLoader)):  # type: ignore[misc]  # in C where PyYAML was built so
    """Of site files."""


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
    if ":" in node.value:
        return node.value
    return (
        loader.construct_yaml_float(node) if node.tag.endswith("float") else loader.construct_yaml_int(node)
    )


Loader.add_constructor(f"{TAGS}map", construct_entry)
Loader.add_constructor(f"{TAGS}timestamp", yaml.SafeLoader.construct_yaml_str)
for tag in NUMBERS:
    Loader.add_constructor(tag, construct_number)


def load(path: Path) -> Entry:
    """Raises SiteError for what is no YAML, or no mapping."""
    try:
        document = yaml.load(path.read_text("utf-8"), Loader)  # noqa: S506 - a SafeLoader
    except yaml.MarkedYAMLError as error:
        mark = error.problem_mark or error.context_mark
        reason = " ".join(str(error.problem or error.context).split())
        raise SiteError(str(path), [Fault(mark.line + 1 if mark else 1, "", "", reason)]) from None
    except (yaml.YAMLError, UnicodeDecodeError, ValueError, RecursionError) as error:
        raise SiteError(str(path), [Fault(1, "", "", " ".join(str(error).split()))]) from None
    if not isinstance(document, Entry):
        raise SiteError(str(path), [Fault(1, "", "", "must be a mapping, such as prefixes: [...]")])
    return document
