"""Command that writes the generated files of this checkout that git does not keep: `python -m api.generators`.

Their sources are docs/openapi.json and the family table. A file that is current keeps its time, and modules of families
that are gone are removed. `make setup` runs this after a change of a source; `--list` prints the paths instead.
"""

import sys
from collections.abc import Iterable
from pathlib import Path

import msgspec

from api.generators import ansible_modules, client_attributes
from api.openapi.document import fragment

ROOT = Path(__file__).parents[2]
MODULES = Path("api/ansible/plugins/modules")


def files() -> dict[Path, str]:
    """Return what is written, by path in the checkout."""
    whole = (ROOT / "docs/openapi.json").read_bytes()
    plan = msgspec.json.decode(fragment(whole)) | {"x-generated-by": "python -m api.generators"}
    modules = ansible_modules.written(msgspec.json.decode(whole))
    return {
        Path("api/client/attributes.py"): client_attributes.written(),
        Path("docs/openapi-ipam.json"): msgspec.json.format(msgspec.json.encode(plan), indent=1).decode()
        + "\n",
        **{Path("api/ansible", path): text for path, text in modules.items()},
    }


def write(root: Path, wanted: dict[Path, str]) -> None:
    """Write these files below a root, and remove modules that are neither wanted nor written by hand."""
    for path, text in wanted.items():
        target = root / path
        target.parent.mkdir(parents=True, exist_ok=True)
        if not target.exists() or target.read_text("utf-8") != text:
            target.write_text(text, "utf-8")
    for path in stale(root, wanted):
        path.unlink()


def stale(root: Path, wanted: Iterable[Path]) -> list[Path]:
    """Return the Ansible modules below a root that a former table of families had."""
    kept = {root / path for path in wanted} | {
        root / MODULES / f"{name}.py" for name in ansible_modules.BY_HAND
    }
    return sorted(set((root / MODULES).glob("*.py")) - kept)


if __name__ == "__main__":
    if sys.argv[1:] == ["--list"]:
        print(*files(), sep="\n")
    else:
        write(ROOT, files())
