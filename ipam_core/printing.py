"""Sentences, questions and JSON on the terminal. Every command prints them here: no name that they contain can control
the terminal, because characters that are not printed are written as escapes."""

import json
import os
from typing import Any

import click


def say(line: str | bytes = "", *, err: bool = False, bold: bool = False) -> None:
    """Print one line. Bytes are JSON, in which the escapes are those of JSON, so that programs read the same."""
    told = printable_json(line.decode()) if isinstance(line, bytes) else printable(line)
    click.secho(told, err=err, bold=bold or None, color=False if is_plain() else None)


def is_plain() -> bool:
    """Return whether neither colors nor bold text are wanted: by --no-color or NO_COLOR (https://no-color.org)."""
    context = click.get_current_context(silent=True)
    return bool(os.environ.get("NO_COLOR")) or (context is not None and context.find_root().color is False)


def say_lines(text: str, *, err: bool = False) -> None:
    """Print a text whose line ends are its own."""
    for line in text.split("\n"):
        say(line, err=err)


def say_json(value: Any) -> None:
    """Print JSON for people, an indented line a member."""
    for line in json.dumps(value, indent=2, ensure_ascii=False).split("\n"):
        say(line.encode())


def confirm(question: str) -> None:
    """Ask on standard error. Raises Abort unless the answer is yes."""
    click.confirm(printable(question), abort=True, err=True)


def printable(value: str) -> str:
    """Return the text without control characters, because clients choose their names."""
    if value.isprintable():
        return value
    return "".join(each if each.isprintable() else ascii(each)[1:-1] for each in value)


def printable_json(document: str) -> str:
    """Return the same JSON with escapes for what is not printed."""
    if document.isprintable():
        return document
    return "".join(each if each.isprintable() else json.dumps(each)[1:-1] for each in document)
