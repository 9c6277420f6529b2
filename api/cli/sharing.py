"""Commands that this host and the API have under one name: token, zones and relays.

`ipam token create --name me --role admin` works on the database of the host and needs no token;
`ipam token list`, `rotate` and `revoke` use the API, as does `ipam token create name=me role=admin`.
"""

from collections.abc import Callable
from typing import Any

import click

from api.cli.groups import OfFamily
from api.cli.objects import group_of
from ipam_core.model.families import FAMILIES


def has_no_field(words: list[str]) -> bool:
    return all(word.startswith("-") or "=" not in word for word in words)


def has_no_name(words: list[str]) -> bool:
    return all(word.startswith("-") for word in words)


OF_HOST: dict[str, tuple[str, Callable[[list[str]], bool]]] = {
    "token": ("tokens", has_no_field),
    "zones": ("dns-zones", has_no_name),
    "relays": ("trusted-relays", has_no_name),
}
"""Each such command with its family, and which words choose the host's command where both have it."""


class HostAndFamily(OfFamily):
    """A family's group with the commands of the host. `own`: those of the host."""

    def __init__(
        self, *arguments: Any, own: click.Group, on_host: Callable[[list[str]], bool], **options: Any
    ):
        super().__init__(*arguments, **options)
        self.own, self.on_host = own, on_host

    def list_commands(self, ctx: click.Context) -> list[str]:
        return sorted({*super().list_commands(ctx), *self.own.list_commands(ctx)})

    def get_command(self, ctx: click.Context, name: str) -> click.Command | None:
        return super().get_command(ctx, name) or self.own.get_command(ctx, name)

    def resolve_command(
        self, ctx: click.Context, args: list[str]
    ) -> tuple[str | None, click.Command | None, list[str]]:
        name, command, rest = super().resolve_command(ctx, args)
        host = self.own.get_command(ctx, name or "")
        return (name, host, rest) if host and self.on_host(rest) else (name, command, rest)


def of_host_and_family(name: str, command: click.Command) -> click.Group:
    """Return the group of both."""
    assert isinstance(command, click.Group)
    family, on_host = OF_HOST[name]
    group = group_of(FAMILIES[family])
    of_host = (command.help or "").rstrip(".")
    help_ = f"{of_host}; list and manage {FAMILIES[family].many} through the API."
    found = HostAndFamily(name, commands=group.commands, help=help_, own=command, on_host=on_host)
    found.named = group.named
    return found
