"""`ipam help COMMAND`, which prints what --help prints, and `ipam version`."""

from importlib.metadata import version

import click


@click.command("help", context_settings={"ignore_unknown_options": True})
@click.argument("words", nargs=-1, metavar="[COMMAND]...")
@click.pass_context
def help_(context: click.Context, words: tuple[str, ...]) -> None:
    """Describe a command, as --help does: `ipam help subnets list`."""
    found, rest = context.find_root(), [*words]
    while rest and isinstance(found.command, click.Group):
        name, command, rest = found.command.resolve_command(found, rest)
        assert command is not None
        found = click.Context(command, info_name=name, parent=found)
    click.echo(found.get_help())


@click.command("version")
def version_() -> None:
    """Print the version of ipam."""
    click.echo(f"ipam, version {version('ipam')}")
