"""What the pages name exists: commands and their options, settings, metrics, links; and figures are those measured."""

import re
import shlex
import tomllib
from collections.abc import Iterator
from pathlib import Path

import click
import pytest
from documents import blocks
from metric_reference import known

from api.cli import main
from ipam_core import settings

INLINE = re.compile(r"(?<!`)`(ipam(?: [^`\n]+)?)`(?!`)")
VARIABLE = re.compile(r"\bIPAM_[A-Z0-9_]+\b")
METRIC = re.compile(
    r"\bipam_(?:api|dhcp4?6?|dns|ddns|db|lease|webhook|pool|node|worker|search|managed)\w*_\w+\b"
)
LINK = re.compile(r"\]\(([^)\s#:]+)(?:#[^)\s]*)?\)")
CLIENT = settings.CLIENT_SWITCHES | settings.BUILD_SWITCHES
MEASURED = (blocks.ROOT / "benchmarks" / "README.md").read_text()


def typed(text: str) -> Iterator[str]:
    """Each `ipam` command of a page: inline, and in blocks, continued lines joined."""
    yield from INLINE.findall(text)
    for block in blocks.blocks_of(text):
        if block.kind in ("sh", "console"):
            script = blocks.script_of(block).replace("\\\n", " ")
            yield from re.findall(r"(?:^|[|;(]\s*|sudo -u ipam )(ipam [^|;)\n]+)", script, re.MULTILINE)


def words(line: str) -> list[str]:
    try:
        return shlex.split(line, comments=True)
    except ValueError:  # a quote that another line closes
        return line.split()


def fault(line: str) -> str | None:
    """What is wrong with a command line, or None. Words in capitals, and "...", stand for names
    that the reader chooses."""
    command: click.Command = main
    options, rest = options_of(main), words(line)[1:]
    while rest:
        word = rest[0]
        if (word.isupper() or word == "...") and isinstance(command, click.Group):
            return None
        if word.startswith("-") and isinstance(command, click.Group) and "list" in command.commands:
            command = command.commands["list"]  # as `ipam leases --subnet lab`
            options |= options_of(command)
        if isinstance(command, click.Group) and not word.startswith("-") and "/" not in word:
            try:
                _, below, rest = command.resolve_command(click.Context(command), rest)
            except click.UsageError as error:
                return error.message
            assert below is not None
            command = below
            options |= options_of(below)
            continue
        is_option = word.startswith("-") and len(word) > 1 and not word[1].isdigit()
        if is_option and word.split("=")[0] not in options | {"--help"}:
            return f"{command.name} has no option {word}"
        rest = rest[1:]
    return None


def options_of(command: click.Command) -> set[str]:
    return {name for parameter in command.params for name in (*parameter.opts, *parameter.secondary_opts)}


@pytest.mark.parametrize("page", blocks.pages(), ids=blocks.name_of)
def test_commands_and_their_options_exist(page: Path) -> None:
    found = {line: fault(line) for line in typed(page.read_text())}
    assert {line: wrong for line, wrong in found.items() if wrong} == {}


@pytest.mark.parametrize("page", blocks.pages(), ids=blocks.name_of)
def test_variables_and_settings_exist(page: Path) -> None:
    text = page.read_text()
    known_names = {f"IPAM_{name.upper()}" for name in settings.READERS} | CLIENT
    assert set(VARIABLE.findall(text)) - known_names == set()
    for block in blocks.blocks_of(text):
        if block.kind == "toml" and block.mark != "not run":
            assert set(tomllib.loads(block.text)) <= set(settings.READERS)


@pytest.mark.parametrize("page", blocks.pages(), ids=blocks.name_of)
def test_metrics_exist(page: Path) -> None:
    rows = known()
    named = set(METRIC.findall(page.read_text()))
    bases = {name: re.sub(r"_(bucket|sum|count)$", "", name) for name in named}
    assert {name for name in named if name not in rows and bases[name] not in rows} == set()


@pytest.mark.parametrize("page", [*blocks.pages(), blocks.ROOT / "docs/decisions.md"], ids=blocks.name_of)
def test_links_lead_somewhere(page: Path) -> None:
    assert [link for link in LINK.findall(page.read_text()) if not (page.parent / link).exists()] == []


def test_the_figures_of_the_readme_are_those_measured() -> None:
    """Each number of a row of its table, and of the line that praises the rate, is in one row of the measurements."""
    text = (blocks.ROOT / "README.md").read_text()
    (fast,) = re.findall(r"^\* \*\*Fast\.\*\*.*?(?=^\*)", text, re.MULTILINE | re.DOTALL)
    (table,) = re.findall(r"^## Figures\n(.*?)^## ", text, re.MULTILINE | re.DOTALL)
    rows = [numbers(line) for line in table.splitlines() if re.match(r"\| [\d,]+ \|", line)]
    measured = [numbers(line) for line in MEASURED.splitlines() if line.startswith("|")]
    assert len(rows) >= 2
    for row in rows:
        assert any(row <= found for found in measured), row
    claims = numbers(fast)
    assert claims
    assert any(claims <= row for row in rows), claims


def numbers(line: str) -> set[float]:
    return {float(found.replace(",", "")) for found in re.findall(r"\d[\d,]*(?:\.\d+)?", line)}
