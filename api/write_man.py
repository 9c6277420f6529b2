"""Generator of the manual pages of the commands: `python -m api.write_man FOLDER`."""

from pathlib import Path

import click

from api.cli.manual import pages


@click.command()
@click.argument("folder", type=click.Path(path_type=Path, file_okay=False))
def write(folder: Path) -> None:
    """Write ipam.1 and a page for each command, such as ipam-subnets.1, into FOLDER."""
    folder.mkdir(parents=True, exist_ok=True)
    for name, text in pages().items():
        (folder / name).write_text(text)


if __name__ == "__main__":
    write()
