"""A release: all files that are published with it, below one folder, with checksums and notes.

python .ci/release.py make FOLDER    wheel, sdist, Debian package, chart, bills of materials, image (where podman,
                                     buildah or docker can build it), notes, checksums; of a clean checkout only
python .ci/release.py notes          the notes alone: the section of this version in CHANGELOG.md, or Unreleased
python .ci/release.py chart FOLDER   the Helm chart alone

The same commit gives the same octets on the same Debian, for all files but the image: SOURCE_DATE_EPOCH is the time of
the commit unless it is set.
"""

import hashlib
import os
import re
import subprocess
import sys
from pathlib import Path

import archive
import version

ROOT = Path(__file__).resolve().parents[1]
CHART = ROOT / "deploy" / "helm" / "ipam"
SUMS = "SHA256SUMS"
SECTION = re.compile(r"^## (\S+)[^\n]*\n(.*?)(?=^## |\Z)", re.MULTILINE | re.DOTALL)


class ReleaseError(Exception):
    """Reason for which nothing is published, with its mend."""


def main(verb: str, *arguments: str) -> int:
    """Run one of the three."""
    try:
        if verb == "notes":
            print(notes(), end="")
        elif verb == "chart":
            print(chart(Path(arguments[0])))
        else:
            make(Path(arguments[0]).resolve())
    except (ReleaseError, subprocess.CalledProcessError) as error:
        print(f"release {verb} failed: {error}", file=sys.stderr)
        return 1
    return 0


def make(folder: Path) -> None:
    """Write all files of the release into a folder that is empty or missing."""
    refuse_changes()
    if folder.exists() and any(folder.iterdir()):
        raise ReleaseError(f"{folder} is not empty: remove it or name another folder")
    folder.mkdir(parents=True, exist_ok=True)
    os.environ.setdefault("SOURCE_DATE_EPOCH", str(version.commit()[0]))
    run(".ci/wheel", sys.executable, folder)
    (wheel,) = folder.glob("*.whl")
    run(sys.executable, ".ci/build_backend.py", folder)
    os.environ["WHEEL"] = str(wheel)
    run(".ci/deb", sys.executable, folder)
    (package,) = folder.glob("*.deb")
    os.environ["PACKAGE"] = str(package)
    run(sys.executable, ".ci/sbom.py", "write", folder)
    chart(folder)
    (folder / "NOTES.md").write_text(notes())
    run(".ci/image", sys.executable, folder)
    (folder / SUMS).write_text(sums(folder))
    print(f"{folder}: version {version.full()}")


def run(*command: str | Path) -> None:
    """Run a program of this checkout."""
    subprocess.run(command, cwd=ROOT, check=True)


def refuse_changes() -> None:
    """Raise ReleaseError where files differ from the commit that the version names."""
    git = ["git", "-c", f"safe.directory={ROOT}", "-C", str(ROOT), "status", "--porcelain"]
    changed = subprocess.run(git, check=True, capture_output=True, text=True).stdout.splitlines()
    if changed:
        raise ReleaseError(
            f"files differ from the commit: {', '.join(line[3:] for line in changed[:5])}. Commit them"
        )


def notes() -> str:
    """Return the section of this version in the changelog. Raises ReleaseError for a version without one."""
    sections = dict(SECTION.findall((ROOT / "CHANGELOG.md").read_text("utf-8")))
    wanted = "Unreleased" if ".dev" in version.number() else version.number()
    if not sections.get(wanted, "").strip():
        raise ReleaseError(f"CHANGELOG.md has no section {wanted}, or it is empty: write it")
    return f"# ipam {version.full()}\n\n{sections[wanted].strip()}\n"


def chart(folder: Path) -> Path:
    """Write the chart as `helm package` would, with the version of this build; return its path."""
    ours = version.full()
    named = {"version": semantic(ours), "appVersion": ours}
    text = (CHART / "Chart.yaml").read_text("utf-8")
    for field, value in named.items():
        text = re.sub(rf"^{field}: .*$", f"{field}: {value}", text, flags=re.MULTILINE)
    files = [("ipam/Chart.yaml", text.encode(), False)]
    others = [path for path in CHART.rglob("*") if path.is_file() and path.name != "Chart.yaml"]
    files += [(f"ipam/{path.relative_to(CHART).as_posix()}", path.read_bytes(), False) for path in others]
    folder.mkdir(parents=True, exist_ok=True)
    target = folder / f"ipam-{named['version']}.tgz"
    archive.write(target, files)
    return target


def semantic(ours: str) -> str:
    """Return a version in the notation of Semantic Versioning, which npm and Helm demand. A number sorts before every
    word there, so that .dev0 sorts before a, b and rc as elsewhere."""
    public, plus, commit = ours.partition("+")
    public = re.sub(r"\.dev(\d+)$", r"-0.dev.\1", public)
    return re.sub(r"(a|b|rc)(\d+)$", r"-\1.\2", public) + plus + commit


def sums(folder: Path) -> str:
    """Return the lines that `sha256sum --check` reads, of all files in a folder."""
    paths = sorted(path for path in folder.rglob("*") if path.is_file() and path.name != SUMS)
    lines = [
        f"{hashlib.sha256(path.read_bytes()).hexdigest()}  {path.relative_to(folder)}\n" for path in paths
    ]
    return "".join(lines)


if __name__ == "__main__":
    sys.exit(main(*sys.argv[1:]))
