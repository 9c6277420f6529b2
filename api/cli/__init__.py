"""The command `ipam`: one group whose commands live elsewhere and load when they are asked for.

Every package brings its commands through the entry-point group `ipam.commands`, so `ipam probe` imports
neither the API nor the database. An error of ours stands on stderr, one line unless the API said more: status 2
when a setting is wrong, as for a wrong option, else 1.

objects.py      get, create, update, delete, and a group for every family; actions.py: what else
lists.py        its lists and their filters; filter_help.py: the filters in the help
showing.py      an object with what it contains
status.py       whether the service is well
lookup.py       search, who, where; place.py: an address that nobody has
space.py        free, next-subnet, map; lease_verbs.py: release, reserve; tail.py: live
apply.py        a site file made true; export.py: one written; site: what both share
importing       another server's configuration taken over, and how that is undone
history.py      the lease events of an address or a client; helping.py: help and version
explain.py      what a client would get, asked from the shell; netbox.py: prefixes from NetBox and to it
server_duid.py  the DUID of the DHCPv6 servers
groups.py       a family with its verbs, a verb with its families; anything.py: an object of whatever family
bare.py         values without a field's name; durations.py: 1h, 7d; option_fields.py: dns= of a subnet
placing.py      the prefix, subnet or zone of a new object
words.py        other words for commands; sections.py: groups of the help; sharing.py: the host's and the API's commands
names.py        objects by what people call them; moments.py: times likewise; fields.py: name=value, and its faults
shapes.py       the fields of a family; help.py: told by --help; payloads.py: DHCP options without JSON
delivering.py   the outcome of a delivery
outcomes.py     what was created, changed or deleted, in a line; impact.py: effects of that on others
titles.py       objects in a few words
tables.py       lists and objects printed; cells.py: a value in words; progress.py: how many of how many
connection.py   server and token; faults.py: an error in lines; completion.py: for shells
reference.py    docs/reference/cli.md; manual.py: manual pages
__main__.py     the same without the installed script
"""

import sys
from collections.abc import Iterator
from functools import cache
from importlib.metadata import EntryPoint, entry_points, version
from pathlib import Path
from typing import Any

import click

from api.cli.words import likely, route
from ipam_core.errors import IpamError, SettingsError, UnavailableEndpoint
from ipam_core.model.families import FAMILIES
from ipam_core.processes.loading import begin, loading

HELP_OPTIONS = ["-h", "--help"]
VERBS = ("get", "create", "update", "patch", "delete")
# Module and function of each other command.
PLACES = {
    "apply": "apply:apply",
    "completion": "completion:completion",
    "explain": "explain:explain",
    "export": "export:export",
    "free": "space:free",
    "help": "helping:help_",
    "history": "history:history",
    "import": "importing.command:import_",
    "map": "space:map_",
    "netbox": "netbox:netbox",
    "next-subnet": "space:next_subnet",
    "release": "lease_verbs:release",
    "reserve": "lease_verbs:reserve",
    "search": "lookup:search",
    "server-duid": "server_duid:server_duid",
    "status": "status:status",
    "tail": "tail:tail",
    "version": "helping:version_",
    "where": "lookup:where",
    "who": "lookup:who",
}


class Commands(click.Group):
    """The installed commands by name."""

    def list_commands(self, ctx: click.Context) -> list[str]:  # noqa: ARG002 - click's signature
        return sorted(installed())

    def get_command(self, ctx: click.Context, name: str) -> click.Command | None:  # noqa: ARG002 - likewise
        found = installed().get(name)
        if found is None:
            return None
        with loading():
            speaks_http = found.value.startswith("api.cli.")
            return with_config(shared(name, found.load()), hidden=speaks_http)

    def get_help_option_names(self, ctx: click.Context) -> list[str]:
        """Return them for a context made without the settings too: click keeps the option that it makes first."""
        ctx.help_option_names = HELP_OPTIONS
        return super().get_help_option_names(ctx)

    def parse_args(self, ctx: click.Context, args: list[str]) -> list[str]:
        """Take --no-color wherever it is."""
        end = args.index("--") if "--" in args else len(args)
        if "--no-color" in args[:end]:
            ctx.color = False
            args = [*(word for word in args[:end] if word != "--no-color"), *args[end:]]
        return super().parse_args(ctx, args)

    def resolve_command(
        self, ctx: click.Context, args: list[str]
    ) -> tuple[str | None, click.Command | None, list[str]]:
        words = route(args, installed())
        if words[0] not in installed() and not words[0].startswith("-") and not ctx.resilient_parsing:
            ctx.fail(f"there is no command {words[0]!r}{likely(words[0], installed())}")
        return super().resolve_command(ctx, words)

    def format_commands(self, ctx: click.Context, formatter: click.HelpFormatter) -> None:
        """List the commands by section."""
        from api.cli.sections import UNLISTED

        for title, names in by_section():
            commands = [(name, self.get_command(ctx, name)) for name in names if name not in UNLISTED]
            with formatter.section(title):
                formatter.write_dl([(name, first_sentence(found)) for name, found in commands if found])

    def __call__(self, *args: Any, **kwargs: Any) -> Any:
        begin()
        return super().__call__(*args, **kwargs)

    def invoke(self, ctx: click.Context) -> Any:
        try:
            return super().invoke(ctx)
        except IpamError as error:
            from api.cli.faults import lines
            from ipam_core.printing import say

            first, *others = lines(error) or [""]
            for line in (f"ipam: {first}", *others):
                say(line, err=True)
            ctx.exit(status_of(error))
        except click.ClickException as error:
            from ipam_core.printing import printable

            vars(error)["message"] = "\n".join(map(printable, error.message.split("\n")))
            raise


def status_of(error: IpamError) -> int:
    """Return the exit status, 2 for settings that are wrong at every start: systemd leaves such a unit stopped."""
    return 2 if isinstance(error, SettingsError) and not isinstance(error, UnavailableEndpoint) else 1


def installed() -> dict[str, EntryPoint]:
    found = [*own_commands(), *commands_of_packages(tuple(sys.path))]
    return {entry.name: entry for entry in found}


@cache
def commands_of_packages(_path: tuple[str, ...]) -> list[EntryPoint]:
    """Read them once for each search path: one command asks several times, and every installed package is looked at."""
    return list(entry_points(group="ipam.commands"))


def by_section() -> Iterator[tuple[str, list[str]]]:
    """Yield each section of the help with its installed commands. Commands of no section come last."""
    from api.cli.sections import SECTIONS

    known = dict.fromkeys(installed())
    for title, names in SECTIONS.items():
        yield title, [name for name in names.split() if name in known]
    listed = " ".join(SECTIONS.values()).split()
    if others := [name for name in known if name not in listed]:
        yield "Other commands", others


def first_sentence(command: click.Command) -> str:
    """Return what a command does, in one sentence."""
    return " ".join((command.help or "").replace("\b", "").split()).split(". ")[0].rstrip(".")


SHARED = ("token", "relays", "zones")
"""Commands that work on the database of this host, and families of the same name."""


def shared(name: str, command: click.Command) -> click.Command:
    """Return a command of the host together with those of its family."""
    if name not in SHARED:
        return command
    from api.cli.sharing import of_host_and_family

    return of_host_and_family(name, command)


def own_commands() -> list[EntryPoint]:
    """Return the commands that speak HTTP, which are here and need no package to bring them."""
    targets = {name: f"api.cli.objects:{name.replace('-', '_')}" for name in (*VERBS, *FAMILIES)}
    targets |= {name: f"api.cli.{place}" for name, place in PLACES.items()}
    return [EntryPoint(name, target, "ipam.commands") for name, target in targets.items()]


def keep_config(ctx: click.Context, _: click.Parameter, value: Path | None) -> None:
    """Keep the settings file for commands, which take it with click.pass_obj."""
    if value is not None:
        ctx.obj = value


def config_option(hidden: bool = False) -> click.Option:
    """Return the option. `hidden`: of commands that use the HTTP API, which accept it and need no settings of a
    server."""
    return click.Option(
        ["--config"],
        type=click.Path(exists=True, path_type=Path, dir_okay=False),
        hidden=hidden,
        help="Settings file (TOML). IPAM_* variables override it.",
        expose_value=False,
        callback=keep_config,
    )


def with_config(command: click.Command, hidden: bool = False) -> click.Command:
    """Accept --config after the command's name too."""
    if not any(parameter.name == "config" for parameter in command.params):
        command.params.append(config_option(hidden))
    return command


def no_color_option() -> click.Option:
    return click.Option(
        ["--no-color"],
        is_flag=True,
        expose_value=False,
        help="Print without colors and bold text, as with the variable NO_COLOR. Works behind every command.",
    )


@click.command(
    cls=Commands,
    params=[config_option(), no_color_option()],
    context_settings={"help_option_names": HELP_OPTIONS},
    subcommand_metavar="COMMAND [ARGS]...",
)
@click.version_option(version("ipam"), prog_name="ipam")
def main() -> None:
    """DHCP and IP address management on one PostgreSQL database.

    `ipam help COMMAND` describes a command. Objects have commands of their own, as in `ipam subnets list`;
    `ipam list subnets` and `ipam subnet ls` do the same.
    """
