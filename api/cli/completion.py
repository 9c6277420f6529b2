"""`ipam completion bash`: the script that teaches a shell our commands; click writes it."""

import click
from click.shell_completion import get_completion_class


@click.command()
@click.argument("shell", type=click.Choice(["bash", "zsh", "fish"]))
@click.pass_context
def completion(context: click.Context, shell: str) -> None:
    """Print the completion script of a shell. Load it with: source <(ipam completion bash)."""
    found = get_completion_class(shell)
    assert found is not None
    click.echo(found(context.find_root().command, {}, "ipam", "_IPAM_COMPLETE").source())
