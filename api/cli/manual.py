"""Manual pages made from the commands: ipam(1), and a page for each command, such as ipam-subnets(1)."""

import re
from collections.abc import Iterable, Iterator
from importlib.metadata import version
from itertools import groupby

import click

from api.cli import by_section, first_sentence, main
from api.cli.groups import ByFamily
from api.cli.help import FieldsCommand
from api.cli.reference import FURTHER_STATUSES, OTHER_WORDS, STATUSES, VALUES, command_of

ENVIRONMENT = {
    "IPAM_API_URL": "Address of the API, with /api/v1.",
    "IPAM_API_TOKEN, IPAM_TOKEN_FILE": "API token, or a file that contains it.",
    "NO_COLOR": "Print without colors and bold text.",
}
FILES = {"/etc/ipam/ipam.toml": "Settings of the Debian package."}
GUIDES = "Each command has a page of its own, such as ipam-subnets(1). The guides are in /usr/share/doc/ipam."


def pages() -> dict[str, str]:
    """Return each page in roff by the name of its file."""
    root = click.Context(main, info_name="ipam")
    commands = {name: command_of(root, name) for _, names in by_section() for name in names}
    found = {f"ipam-{name}.1": page(name, command) for name, command in commands.items()}
    return {"ipam.1": overview(commands)} | found


def overview(commands: dict[str, click.Command]) -> str:
    """Return ipam(1): the commands by section, words, values, statuses, variables and files."""
    lines = [*head("ipam", first_sentence(main)), ".SH SYNOPSIS", ".B ipam"]
    lines += ["[OPTIONS] COMMAND [ARGUMENTS]...", ".SH DESCRIPTION", roff(GUIDES), ".SH OPTIONS"]
    lines += listed(options_of(main))
    for title, names in by_section():
        lines.append(f'.SH "{roff(title.upper())}"')
        lines += listed((f"ipam {name}", first_sentence(commands[name])) for name in names)
    for title, texts in (("OTHER WORDS", OTHER_WORDS), ("FIELDS AND VALUES", VALUES)):
        lines += [f'.SH "{title}"', *(line for text in texts for line in (".IP \\(bu 2", roff(text)))]
    lines += [
        *statuses(),
        ".SH ENVIRONMENT",
        *listed(ENVIRONMENT.items()),
        ".SH FILES",
        *listed(FILES.items()),
    ]
    return ended(lines)


def page(name: str, command: click.Command) -> str:
    """Return the page of a command with its subcommands."""
    lines = [*head(f"ipam-{name}", first_sentence(command)), ".SH SYNOPSIS", *usage(command, f"ipam {name}")]
    lines += [".SH DESCRIPTION", *paragraphs(command.help or ""), *described(command, f"ipam {name}")]
    return ended([*lines, *statuses(), '.SH "SEE ALSO"', ".BR ipam (1)"])


def described(command: click.Command, path: str) -> Iterator[str]:
    """Yield the options and fields of a command, and its subcommands. A verb of families lists only their names."""
    if rows := [*options_of(command)]:
        yield from (".SH OPTIONS", *listed(rows))
    if isinstance(command, FieldsCommand):
        yield from (".SH FIELDS", *listed(command.field_lines()))
    if isinstance(command, click.Group):
        context = click.Context(command, info_name=path)
        below = {name: command_of(context, name) for name in command.list_commands(context)}
        yield ".SH COMMANDS"
        for name, each in below.items():
            yield from (
                brief(each, f"{path} {name}")
                if isinstance(command, ByFamily)
                else section(each, f"{path} {name}")
            )


def brief(command: click.Command, path: str) -> Iterator[str]:
    return listed([(path, first_sentence(command))])


def section(command: click.Command, path: str) -> Iterator[str]:
    """Yield a subcommand with its usage, text, options and fields, and those below it."""
    yield from (f'.SS "{roff(path)}"', *usage(command, path), ".PP", *paragraphs(command.help or ""))
    yield from listed(options_of(command))
    if isinstance(command, FieldsCommand):
        yield from listed(command.field_lines())
    if isinstance(command, click.Group):
        context = click.Context(command, info_name=path)
        for name in command.list_commands(context):
            yield from section(command_of(context, name), f"{path} {name}")


def options_of(command: click.Command) -> Iterator[tuple[str, str]]:
    context = click.Context(command)
    for parameter in command.get_params(context):
        record = parameter.get_help_record(context)
        if record and record[1]:
            yield record[0], " ".join(record[1].split())


def usage(command: click.Command, path: str) -> list[str]:
    pieces = " ".join(command.collect_usage_pieces(click.Context(command, info_name=path)))
    return [f".B {roff(path)}", roff(pieces)]


def statuses() -> Iterator[str]:
    yield from ('.SH "EXIT STATUS"', *listed(STATUSES.items()), ".PP")
    yield from (line for text in FURTHER_STATUSES for line in (roff(text), ".br"))


# --- roff


def head(name: str, meaning: str) -> list[str]:
    title = f'.TH {name.upper()} 1 "" "ipam {version("ipam")}" "User Commands"'
    return [roff_title(title), ".SH NAME", f"{roff(name)} \\- {roff(meaning)}"]


def roff_title(line: str) -> str:
    return line.replace("-", "\\-")


def listed(rows: Iterable[tuple[str, str]]) -> Iterator[str]:
    for left, right in rows:
        yield from (".TP", f".B {roff(left)}", roff(right))


def paragraphs(words: str) -> Iterator[str]:
    """Yield a help text; what a \\b marks keeps its lines."""
    for part in re.split(r"\n\s*\n", words.strip()):
        if part.startswith("\b"):
            yield from (".nf", *(roff(line.rstrip()) for line in part.split("\n")[1:]), ".fi")
        else:
            yield from (roff(" ".join(part.split())), ".PP")


def roff(words: str) -> str:
    """Return text that roff prints as it is."""
    words = words.replace("\\", "\\e").replace("-", "\\-").replace("`", "")
    return "\\&" + words if words.startswith((".", "'")) else words


def ended(lines: list[str]) -> str:
    """Return the page without empty lines, which roff would print, and without repeated breaks."""
    return "\n".join(line for line, _ in groupby(lines) if line) + "\n"
