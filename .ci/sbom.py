"""Software bills of materials in CycloneDX: the Python packages and the console's npm packages.

python .ci/sbom.py write FOLDER [VERSION]    both, from the lock files, into FOLDER
python .ci/sbom.py add WHEEL                 both into a wheel, below .dist-info/sboms (PEP 770)
python .ci/sbom.py environment PYTHON FILE   the packages that are installed in an environment

Nothing is fetched, and the same lock files and version give the same octets.
"""

import base64
import hashlib
import json
import subprocess
import sys
import tempfile
import zipfile
from pathlib import Path
from typing import Any

import console_build
import release
import version

ROOT = Path(__file__).resolve().parents[1]
LOCK = ROOT / "requirements.lock"
CONSOLE = ROOT / "api" / "console"
PYTHON_NAME = "ipam-python.cdx.json"
CONSOLE_NAME = "ipam-console.cdx.json"
REPRODUCIBLE = (
    "--of",
    "JSON",
    "--output-reproducible",
    "--no-validate",
    "--pyproject",
    str(ROOT / "pyproject.toml"),
)
NPM_SBOM = ("sbom", "--sbom-format=cyclonedx", "--package-lock-only")


def main(verb: str, *arguments: str) -> int:
    """Run one of the three commands."""
    {"write": write, "add": add, "environment": environment}[verb](*arguments)
    return 0


def write(folder: str, of_version: str = "") -> None:
    """Write both bills of a version, or of this checkout, into a folder."""
    Path(folder).mkdir(parents=True, exist_ok=True)
    for name, bill in bills(of_version or version.full()).items():
        path = Path(folder, name)
        path.write_text(bill)
        print(path)


def bills(of_version: str) -> dict[str, str]:
    """Return both bills by the names of their files."""
    return {PYTHON_NAME: of_lock(of_version), CONSOLE_NAME: of_console(of_version)}


def of_lock(of_version: str) -> str:
    """Return the bill of what a server needs at run time."""
    return without_lines(cyclonedx(of_version, "requirements", str(LOCK)))


def without_lines(bill: str) -> str:
    """Return a bill without the descriptions, which only repeat the lines of the lock file."""
    content = json.loads(bill)
    for component in content["components"]:
        del component["description"]
    return json.dumps(content, indent=2, sort_keys=True) + "\n"


def of_console(of_version: str) -> str:
    """Return the bill of the packages that are compiled into the console."""
    program = [str(console_build.node_folder() / "bin" / "node"), str(console_build.npm_program()), *NPM_SBOM]
    with tempfile.TemporaryDirectory() as scratch:
        folder = Path(scratch) / "ipam-console"  # npm names the bill's subject after its folder
        folder.mkdir()
        for name in ("package.json", "package-lock.json"):
            (folder / name).write_text(with_version(CONSOLE / name, of_version))
        made = subprocess.run(program, cwd=folder, check=True, capture_output=True, text=True)
    bill: dict[str, Any] = json.loads(made.stdout)
    # npm's own --omit=dev drops packages that a development package needs as well.
    kept = {bill["metadata"]["component"]["bom-ref"], *compiled_in()}
    bill["components"] = [component for component in bill["components"] if component["bom-ref"] in kept]
    bill["dependencies"] = [
        entry | {"dependsOn": [ref for ref in entry["dependsOn"] if ref in kept]}
        for entry in bill["dependencies"]
        if entry["ref"] in kept
    ]
    # They differ from run to run.
    bill.pop("serialNumber", None)
    bill["metadata"].pop("timestamp", None)
    return json.dumps(bill, indent=2, sort_keys=True) + "\n"


def compiled_in() -> set[str]:
    """Return name@version of each package that the console itself needs, by npm's lock file."""
    packages = json.loads((CONSOLE / "package-lock.json").read_text())["packages"]
    return {
        f"{path.rpartition('node_modules/')[2]}@{package['version']}"
        for path, package in packages.items()
        if path and not {"dev", "optional", "devOptional"} & package.keys()
    }


def with_version(file: Path, of_version: str) -> str:
    """Return one of npm's files with our version, which npm demands in its own notation."""
    content = json.loads(file.read_text())
    return json.dumps(content | {"version": release.semantic(of_version)})


def environment(python: str, file: str) -> None:
    """Write the bill of the packages that an environment's Python finds, to a file."""
    ask = "from importlib.metadata import version; print(version('ipam'))"
    ours = subprocess.run([python, "-P", "-c", ask], check=True, capture_output=True, text=True).stdout
    Path(file).write_text(cyclonedx(ours.strip(), "environment", python))


def cyclonedx(of_version: str, *arguments: str) -> str:
    """Return what cyclonedx-py writes, which takes our own version from pyproject.toml, without the commit."""
    program = [sys.executable, "-W", "ignore", "-m", "cyclonedx_py", *arguments, *REPRODUCIBLE]
    made = subprocess.run(program, check=True, capture_output=True, text=True)
    bill = json.loads(made.stdout)
    bill["metadata"]["component"]["version"] = of_version
    bill["metadata"].pop("timestamp", None)  # there if SOURCE_DATE_EPOCH is set
    return json.dumps(bill, indent=2, sort_keys=True) + "\n"


def add(file: str) -> None:
    """Add both bills to a wheel and to its RECORD."""
    wheel = Path(file)
    with zipfile.ZipFile(wheel) as archive:
        members = {item: archive.read(item) for item in archive.infolist()}
    (record,) = (item for item in members if item.filename.endswith(".dist-info/RECORD"))
    folder = record.filename.removesuffix("RECORD")
    added = {f"{folder}sboms/{name}": bill.encode() for name, bill in bills(wheel.name.split("-")[1]).items()}
    members[record] += "".join(line(name, octets) for name, octets in added.items()).encode()
    with zipfile.ZipFile(wheel, "w", zipfile.ZIP_DEFLATED) as archive:
        for item, octets in members.items():
            archive.writestr(item, octets)
        for name, octets in added.items():
            archive.writestr(zipfile.ZipInfo(name), octets, zipfile.ZIP_DEFLATED)


def line(name: str, octets: bytes) -> str:
    """Return a file's line in RECORD (PEP 376 with the hashes of PEP 427)."""
    digest = base64.urlsafe_b64encode(hashlib.sha256(octets).digest()).rstrip(b"=").decode()
    return f"{name},sha256={digest},{len(octets)}\n"


if __name__ == "__main__":
    sys.exit(main(*sys.argv[1:]))
