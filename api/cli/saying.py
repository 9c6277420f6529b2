"""Sentences, questions and JSON on the terminal. Every module prints them here: no name that they contain can control
the terminal, because characters that are not printed are written as escapes."""

import click

from api.cli.cells import printable, printable_json


def say(line: str | bytes = "", *, err: bool = False, bold: bool = False) -> None:
    """Print one line. Bytes are JSON, in which the escapes are those of JSON, so that programs read the same."""
    told = printable_json(line.decode()) if isinstance(line, bytes) else printable(line)
    click.secho(told, err=err, bold=bold or None)


def confirm(question: str) -> None:
    """Ask on standard error. Raises Abort unless the answer is yes."""
    click.confirm(printable(question), abort=True, err=True)
