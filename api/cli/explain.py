"""`ipam explain relay=10.0.0.1 mac=02:00:00:00:00:01`: what the DHCP server would do with a client, and why."""

from collections.abc import Callable, Iterator, Mapping
from typing import Any

import click

from api.cli.cells import text
from api.cli.connection import speaking
from api.cli.fields import judged, lists_of, once_each, read_fields
from api.cli.help import FieldsCommand
from api.cli.shapes import fields_of
from api.cli.tables import json_option, show_lines, show_one
from api.client import Client
from ipam_core.model.explain import Question
from ipam_core.model.explain6 import Question6

OF_DHCPV6 = "link_address"
# For programs: people know these objects by their names.
IDS = ("id", "tenant_id")


@click.command(cls=FieldsCommand, model=Question)
@click.argument("fields", nargs=-1, required=True, metavar="NAME=VALUE...")
@json_option
@speaking
def explain(fields: tuple[str, ...], client: Client, as_json: bool) -> None:
    """Show what a client would get, and why. The fields are those of POST /dhcp/explain; with link_address, those of
    POST /dhcp6/explain."""
    is_dhcpv6 = any(word.partition("=")[0] == OF_DHCPV6 for word in fields)
    path, model = ("/dhcp6/explain", Question6) if is_dhcpv6 else ("/dhcp/explain", Question)
    question = read_fields(once_each(fields, lists_of(fields_of(model))), model)
    with judged(model, question):
        answer = client.request("POST", path, question)
    if as_json:
        show_one(answer, as_json)
    else:
        show_lines({name: list(lines_of(name, value)) for name, value in answer.items()})


def lines_of(name: str, value: Any) -> Iterator[str]:
    """Yield a member of the answer: nothing where it is empty, a line an element where it is a list."""
    for each in value if isinstance(value, list) else [value]:
        if each not in (None, ""):
            yield SPOKEN.get(name, facts)(each)


def facts(value: Any) -> str:
    if not isinstance(value, Mapping):
        return text(value)
    told = {name: each for name, each in value.items() if name not in IDS and each not in (None, "", [])}
    return ", ".join(f"{name} {text(each)}" for name, each in told.items())


def class_line(found: Mapping[str, Any]) -> str:
    """Return whether the client is in it, and the condition that decided, with what it saw."""
    why = found["decided_by"]
    seen = "nothing" if why["seen"] is None else text(why["seen"])
    said = f"{found['made'] or found['name']}: {'yes' if found['matched'] else 'no'}"
    denied = ", denied" if found["matched"] and found["deny"] else ""
    return f"{said}{denied}; {why['condition']} {text(why['asks'])} saw {seen}"


def option_line(option: Mapping[str, Any]) -> str:
    """Return its value, and the scope that gave it, which DHCPv6 does not tell."""
    if "scope" not in option:
        return text(option["text"])
    scope = option["scope"]
    name = "" if scope["name"] in (None, scope["type"]) else f" {text(scope['name'])}"
    return f"{text(option['text'])}   from {scope['type']}{name}"


SPOKEN: dict[str, Callable[[Any], str]] = {"classes": class_line, "options": option_line}
