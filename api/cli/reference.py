"""Generator of docs/reference/cli.md from the commands themselves: `python -m api.write_documents docs/`."""

import re
from collections.abc import Iterator, Set

import click

from api.cli import VERBS, by_section, main
from api.cli.groups import OfFamily
from ipam_core.model.families import FAMILIES

NAME = "reference/cli.md"
CONNECTION = {"--url", "--token", "--token-file"}
OUTPUT = {"--columns", "--sort", "--wide", "--csv"}
SHARED = {*CONNECTION, *OUTPUT, "--config", "--help"}
"""Options that many commands have; the page describes them once."""

CODE = re.compile(r"`[^`]*`|--[a-z][\w-]*|\b[A-Za-z]\w*_[\w*]+|/etc/[\w./-]+")
"""What a help text has that is set as code."""

GROUPS = {title: " ".join(name for name in names if name not in FAMILIES) for title, names in by_section()}
"""Each section of the help with its commands that are no families."""

STATUSES = {
    "0": "The command succeeded, or its check found no fault.",
    "1": "The request failed or was refused, or a check found faults. Standard error has the reason.",
    "2": "An option, an argument, a field without its value, or a setting is invalid. Nothing was sent.",
    "130": "Ctrl-C ended the command.",
}
FURTHER_STATUSES = (
    "`ipam apply --detailed-exitcode` ends with 2 if anything changed, or would change.",
    "`ipam probe` has a status for each kind of answer; its section lists them.",
    "Servers end with 2 for a setting that is wrong at every start: systemd leaves the unit stopped.",
)
OTHER_WORDS = (
    "A family has a singular and some a short name: `ipam subnet list`, `ipam zone list`.",
    "The verb may come first: `ipam list subnets`, `ipam show subnet lab`, `ipam rotate token ci`.",
    "`add` and `new` mean `create`; `set` and `edit` mean `update`.",
    "`rm`, `remove` and `revoke` mean `delete`; `ls` means `list`; `get` and `view` mean `show`.",
    "A name alone shows the object: `ipam subnets lab`.",
    "The name of a subnet lists the objects in it: `ipam leases lab`.",
    "`log` means `audit`, `find` means `search`, and `watch` means `tail`.",
    "`next` means `next-subnet`, and `drain` means `nodes drain`.",
)
VALUES = (
    "Dashes and underscores are alike, and endings may be left out: `lease-time`, `vlan`, `ddns`.",
    "A CIDR, an address, a range, a MAC address or a URL needs no name: `ipam add subnet 10.1.0.0/24`.",
    "Durations have units: `lease-time=1h`, `ttl=90m`, `7d`. A number alone is seconds.",
    "`range=10.0.0.10-10.0.0.99` stands for `start_ip` and `end_ip`; an exclusion takes one address too.",
    "`ip=next` takes the next free address of the subnet.",
    "Lists have commas. `yes`, `on` and `true` are alike, as are `no`, `off` and `false`.",
    "A DHCP option is a field of its subnet, pool, class or reservation: `dns=10.0.0.5`.",
    "`dns=null` deletes the option.",
)
HEAD = """# Command line

`ipam COMMAND --help` prints the text that this page is generated from. The help of commands that
create or change objects also lists the fields of the object, for example
`ipam create subnets --help`. [The HTTP API and the command line](api.md) shows both by example.

## Options of every command

| Option | Meaning |
|---|---|
{config}

Commands that use the HTTP API also take these options:

| Option | Meaning |
|---|---|
{connection}

Commands that print tables also take these options:

| Option | Meaning |
|---|---|
{output}

## Exit status

| Status | Meaning |
|---|---|
{statuses}

Some commands have further statuses:

{further}

## Other words for commands

Commands also take words that people guess:

{words}

## Fields and values

Fields are written `NAME=VALUE`, or `--NAME VALUE` where the command has no such option of its own.

{values}

"""
FAMILY_HEAD = """## Objects by family

Each family of objects is a command with verbs: `ipam subnets list`, `ipam subnets show NAME`. The
verbs `create`, `update`, `delete` and `get` also exist as commands of their own:
`ipam create subnets` equals `ipam subnets create`. Every list takes the options in this table. The
section of a family lists its filters and its other verbs.

"""


def text() -> str:
    """Return the page."""
    root = click.Context(main, info_name="ipam")
    search = command_of(root, "search")
    told = {"connection": CONNECTION, "output": OUTPUT}
    tables = {name: "".join(rows_of(search, only)).rstrip() for name, only in told.items()}
    tables["config"] = "".join(rows_of(main, {"--config", "--no-color"})).rstrip()
    lists = {"further": FURTHER_STATUSES, "words": OTHER_WORDS, "values": VALUES}
    points = {name: "\n".join(f"* {each}" for each in texts) for name, texts in lists.items()}
    statuses = "\n".join(f"| {status} | {meaning} |" for status, meaning in STATUSES.items())
    parts = [HEAD.format(**tables, **points, statuses=statuses)]
    for title, names in GROUPS.items():
        parts.append(f"## {title}\n\n" if names else "")
        for name in names.split():
            parts += section(command_of(root, name), f"ipam {name}")
    return "".join([*parts, FAMILY_HEAD, *families(root)]).rstrip() + "\n"


def command_of(context: click.Context, name: str) -> click.Command:
    """Return a command of a group by its name."""
    group = context.command
    assert isinstance(group, click.Group)
    found = group.get_command(context, name)
    assert found is not None, name
    return found


def section(command: click.Command, path: str, level: int = 3) -> Iterator[str]:
    """Yield the heading, usage, text and options of a command, then its subcommands, except families."""
    context = click.Context(command, info_name=path)
    pieces = " ".join(command.collect_usage_pieces(context))
    yield f"{'#' * level} {path}\n\n```\n{path} {pieces}\n```\n\n".replace(" \n", "\n")
    yield from paragraphs(command.help or "")
    yield from table(rows_of(command))
    yield from paragraphs(command.epilog or "")
    if isinstance(command, click.Group) and path.split()[-1] not in VERBS:
        of_family = command.commands if isinstance(command, OfFamily) else ()
        for name in sorted({*command.list_commands(context)}.difference(of_family)):
            yield from section(command_of(context, name), f"{path} {name}", level + 1)


def paragraphs(words: str) -> Iterator[str]:
    """Yield a help text as Markdown; what a \\b marks keeps its lines."""
    for part in re.split(r"\n\s*\n", words.strip()):
        if part.startswith("\b"):
            lines = [line.rstrip() for line in part.split("\n")[1:]]
            yield "```\n" + "\n".join(lines) + "\n```\n\n"
        elif part:
            yield wrapped(escaped(" ".join(part.split()))) + "\n\n"


def wrapped(words: str, width: int = 100) -> str:
    """Return a paragraph in lines of this width; none begins with a mark of Markdown."""
    lines = [""]
    for word in words.split(" "):
        if len(lines[-1]) + len(word) >= width and not re.match(r"[-+*#>]|\d+[.)]", word):
            lines.append("")
        lines[-1] = f"{lines[-1]} {word}".strip()
    return "\n".join(lines)


def rows_of(command: click.Command, only: Set[str] = frozenset()) -> Iterator[str]:
    """Yield a row for each option of a command, those that many share left out; or for these only."""
    for left, right in records(command, only):
        cells = (f"`{left}`", escaped(right))
        yield f"| {' | '.join(cell.replace('|', chr(92) + '|') for cell in cells)} |\n"


def records(command: click.Command, only: Set[str] = frozenset()) -> Iterator[tuple[str, str]]:
    """Yield each option as the help has it, and its text."""
    context = click.Context(command)
    for parameter in command.get_params(context):
        names = set(parameter.opts)
        record = parameter.get_help_record(context)
        if record and record[1] and (names & only if only else not names & SHARED):
            yield record[0], " ".join(record[1].split())


def table(rows: Iterator[str], head: str = "Option | Meaning") -> Iterator[str]:
    """Yield a table of these rows, if there are any."""
    found = [*rows]
    if found:
        yield f"| {head} |\n|---|---|\n{''.join(found)}\n"


def escaped(words: str) -> str:
    """Return text that Markdown shows as it is, with names of options, settings and files as code."""
    parts, at = [], 0
    for code in CODE.finditer(words):
        parts += [re.sub(r"([*<\[])", r"\\\1", words[at : code.start()]), f"`{code[0].strip('`')}`"]
        at = code.end()
    return "".join([*parts, re.sub(r"([*<\[])", r"\\\1", words[at:])])


def families(root: click.Context) -> Iterator[str]:
    """Yield the options that each list has, and each family with its filters and further verbs."""
    lists = {name: set(rows_of(command_of(context_of(root, name), "list"))) for name in FAMILIES}
    common = set.intersection(*lists.values())
    yield from table(row for row in rows_of(command_of(context_of(root, "leases"), "list")) if row in common)
    for name in sorted(FAMILIES):
        family = context_of(root, name)
        group = family.command
        assert isinstance(group, click.Group)
        verbs = group.list_commands(family)
        yield f"### ipam {name}\n\nVerbs: {', '.join(f'`{verb}`' for verb in verbs)}.\n\n"
        filters = (row for row in rows_of(command_of(family, "list")) if row not in common)
        yield from table(filters, "Filter of `list` | Meaning")
        for verb in verbs:
            if verb not in ("list", "show", *VERBS):
                yield from section(command_of(family, verb), f"ipam {name} {verb}", 4)


def context_of(root: click.Context, name: str) -> click.Context:
    return click.Context(command_of(root, name), info_name=name, parent=root)
