"""A machine on which the commands of a page run as they are written.

It is a network namespace with `ipam up` on its default addresses, a first token in the environment, and the programs
that the pages use. `sudo` runs the command as the same account; `systemctl` is kept in a file, because no system
manager runs here.
"""

import shlex
import shutil
import subprocess
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from documents.blocks import Block, script_of
from system import peers
from system.namespaces import Namespace, Network
from system.server import AWAIT_READY, READY_SECONDS

IPAM = [sys.executable, "-P", "-m", "api.cli"]
CURL = Path(__file__).parents[1] / "cli" / "curl.py"
READY = "http://127.0.0.1:8081/readyz"
PAGE_SECONDS = 120
SUDO = """#!/bin/sh
if [ "$1" = -u ]; then shift 2; fi
exec "$@"
"""
SYSTEMCTL = """#!/bin/sh
echo "$@" >>"$HOME/systemctl"
"""


def install(folder: Path) -> None:
    """Put the programs of the pages into `folder`."""
    folder.mkdir()
    curl = shutil.which("curl", path=peers.SEARCH_PATH)
    named = {
        "ipam": IPAM,
        "python": [sys.executable],
        "curl": [curl] if curl else [sys.executable, str(CURL)],
        "ip": [str(peers.program("ip"))],
        "dig": [str(peers.program("dig"))],
    }
    scripts = {name: f'#!/bin/sh\nexec {shlex.join(command)} "$@"\n' for name, command in named.items()}
    for name, script in {**scripts, "sudo": SUDO, "systemctl": SYSTEMCTL}.items():
        (folder / name).write_text(script)
        (folder / name).chmod(0o755)


class Machine:
    """`folder`: the account's home and the folder in which the commands run."""

    def __init__(self, namespace: Namespace, environment: dict[str, str], folder: Path) -> None:
        self.namespace = namespace
        self.environment = environment
        self.folder = folder

    def follow(self, blocks: list[Block]) -> str:
        """Run the blocks in order, in one shell; return what they print. Fails with that where a command fails."""
        ran = subprocess.run(
            self.namespace.command("bash", "-c", "\n".join(self.steps(blocks))),
            env=self.environment,
            stdin=subprocess.DEVNULL,
            stdout=subprocess.PIPE,
            stderr=subprocess.STDOUT,
            text=True,
            timeout=PAGE_SECONDS,
            check=False,
        )
        assert ran.returncode == 0, ran.stdout
        return ran.stdout

    def steps(self, blocks: list[Block]) -> Iterator[str]:
        yield f"set -eu -o pipefail; cd {shlex.quote(str(self.folder))}"
        for block in blocks:
            if block.mark == "file":
                (self.folder / block.told).write_text(block.text)
                continue
            yield f"echo '--- line {block.line}'"
            if block.kind == "python":
                program = self.folder / f"line{block.line}.py"
                program.write_text(block.text)
                yield f"python {program.name}"
            else:
                yield script_of(block)


@contextmanager
def machine(
    network: Network, database: str, folder: Path, *, demo: bool = False, **settings: str
) -> Iterator[Machine]:
    """A machine with a ready server and a token in the environment; the server's log is printed at the end."""
    made = network.namespace("machine")
    with serving(made, database, folder, demo=demo, **settings) as running:
        yield running


@contextmanager
def serving(
    made: Namespace, database: str, folder: Path, *, demo: bool = False, **settings: str
) -> Iterator[Machine]:
    """The same in a namespace that has its links already. `settings`: those of the server, by name."""
    home, programs, log = folder / "home", folder / "bin", folder / "up.log"
    home.mkdir()
    install(programs)
    told = {
        "IPAM_DATABASE_URL": database,
        "IPAM_DATA_DIR": str(home),
        "IPAM_RATE_LIMIT": "0",
        "HOME": str(home),
        "PATH": f"{programs}:{peers.SEARCH_PATH}",
    }
    environment = peers.environment() | told
    told = {f"IPAM_{name.upper()}": value for name, value in settings.items()}
    made.start(*IPAM, "up", *(["--demo"] if demo else []), log=log, env=environment | told, cwd=home)
    try:
        made.run(sys.executable, "-c", AWAIT_READY, READY, str(READY_SECONDS), within=READY_SECONDS + 5)
        token = made.run(*IPAM, "token", "create", "--name", "pages", "--role", "admin", env=environment)
        yield Machine(made, environment | {"IPAM_API_TOKEN": token.split()[0]}, home)
    finally:
        print(f"--- {log.name}\n{log.read_text(errors='replace')}")
