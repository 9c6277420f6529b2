"""Fenced blocks of a document, and the marks in comments that tell how to run them.

<!-- not run: REASON -->   before a block that no test can run
<!-- file: NAME -->        before a block that a command of the page reads as a file of that name
<!-- runs on: demo -->     anywhere: the page's commands run beside `ipam up --demo`; otherwise the plan is empty
<!-- given: NAME is PATH -->  anywhere: the page's commands read this file of the checkout by that name
<!-- runs in: TEST -->     anywhere: that test runs the blocks of the page, because they need peers of their own
"""

import re
from collections.abc import Iterator
from pathlib import Path
from typing import NamedTuple

ROOT = Path(__file__).parents[2]
FENCE = re.compile(
    r"(?:^ *<!-- (?P<mark>not run|file): (?P<told>[^>]+?) -->\n\s*)?"
    r"^(?P<indent> *)```(?P<kind>[\w-]*)\n(?P<text>.*?)^ *```$",
    re.MULTILINE | re.DOTALL,
)
PAGE_MARK = re.compile(r"^<!-- runs (on|in): (.+?) -->$", re.MULTILINE)
GIVEN = re.compile(r"^<!-- given: (\S+) is (\S+) -->$", re.MULTILINE)
RUN = ("sh", "console", "python")
COMMANDS = ("ipam ", "curl ", "sudo ", "dig ", "$ ", "systemctl ", "ansible")
# Left out: rules and the specification, which nobody follows as instructions, and the notes of who works on the code.
NOT_GUIDES = ("docs/decisions.md", "CONTRIBUTING.md", "CHANGELOG.md", "benchmarks/", "tests/", "api/console/")


class Block(NamedTuple):
    kind: str
    text: str
    line: int
    mark: str | None
    """`not run`, `file` or None."""
    told: str
    """The reason, or the file's name."""


def pages() -> list[Path]:
    found = [*ROOT.glob("*.md"), *ROOT.glob("docs/**/*.md"), *ROOT.glob("api/ansible/*.md")]
    found += ROOT.glob("deploy/**/*.md")
    return sorted(path for path in found if not name_of(path).startswith(NOT_GUIDES))


def name_of(path: Path) -> str:
    return path.relative_to(ROOT).as_posix()


def blocks_of(text: str) -> Iterator[Block]:
    for found in FENCE.finditer(text):
        indent = found["indent"]
        inside = re.sub(f"^{indent}", "", found["text"], flags=re.MULTILINE)
        line = text.count("\n", 0, found.start("kind")) + 1
        yield Block(found["kind"], inside, line, found["mark"], found["told"] or "")


def marks_of(text: str) -> dict[str, str]:
    return dict(PAGE_MARK.findall(text))


def given(text: str) -> dict[str, Path]:
    """Return the files that the page's commands read, by the names that they use."""
    return {name: ROOT / path for name, path in GIVEN.findall(text)}


def script_of(block: Block) -> str:
    """The commands of a shell block. In a `console` block they follow a prompt, and the rest is output."""
    if block.kind != "console":
        return block.text
    return "".join(f"{line[2:]}\n" for line in block.text.splitlines() if line.startswith("$ "))


def to_run(text: str) -> list[Block]:
    """The blocks of a page that its run needs, in order: commands, programs and the files that they read."""
    return [
        block
        for block in blocks_of(text)
        if block.mark == "file" or (block.kind in RUN and block.mark != "not run")
    ]


def unfenced(text: str) -> Iterator[str]:
    """Commands in blocks that are indented only, which no test would run."""
    prose = FENCE.sub("", text)
    for before, line in zip(prose.split("\n"), prose.split("\n")[1:], strict=False):
        if not before.strip() and re.match(r" {4}\S", line) and line.strip().startswith(COMMANDS):
            yield line.strip()
