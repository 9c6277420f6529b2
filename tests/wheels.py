"""The wheel of this tree as `.ci/wheel` builds it, and its Debian package: once for all runs, until something changes
that git knows of. Both are in build/wheel/<hash of what they are made of>.
"""

import fcntl
import hashlib
import os
import shutil
import subprocess
import sys
import tempfile
from pathlib import Path

ROOT = Path(__file__).parents[1]
KEPT = ROOT / "build" / "wheel"


def known_files() -> list[str]:
    """Those that git knows."""
    listing = ["git", "-c", f"safe.directory={ROOT}", "ls-files", "-z"]
    names = subprocess.run(listing, cwd=ROOT, check=True, capture_output=True).stdout
    return sorted(name for name in names.decode().split("\0") if name)


def wheel() -> Path:
    folder = KEPT / fingerprint()
    KEPT.mkdir(parents=True, exist_ok=True)
    with (KEPT / "lock").open("w") as lock:
        fcntl.flock(lock, fcntl.LOCK_EX)
        if not folder.exists():
            build(folder)
    (found,) = folder.glob("ipam-*.whl")
    return found


def package() -> Path:
    """The Debian package of that wheel, packed quickly. Debian's Python must be of our version."""
    made = wheel()
    with (KEPT / "lock").open("w") as lock:
        fcntl.flock(lock, fcntl.LOCK_EX)
        if not [*made.parent.glob("ipam_*.deb")]:
            chosen = os.environ | {"WHEEL": str(made), "COMPRESSION": "1"}
            with tempfile.TemporaryDirectory(dir=KEPT.parent) as fresh:
                subprocess.run([ROOT / ".ci/deb", sys.executable, fresh], env=chosen, check=True)
                (found,) = Path(fresh).glob("ipam_*.deb")
                found.rename(made.parent / found.name)
    (kept,) = made.parent.glob("ipam_*.deb")
    return kept


def fits_debian() -> bool:
    """Return whether a package can be built here: dpkg is there, and Debian's Python is of our version."""
    ask = ["/usr/bin/python3", "-c", "import sys; print(*sys.version_info[:2])"]
    own = subprocess.run(ask, capture_output=True, text=True, check=False).stdout.split()
    return shutil.which("dpkg-deb") is not None and own == [str(part) for part in sys.version_info[:2]]


def version() -> str:
    """Of that wheel."""
    return wheel().name.split("-")[1]


def fingerprint() -> str:
    ask = [sys.executable, ROOT / ".ci/version.py", "full"]
    version = subprocess.run(ask, check=True, capture_output=True).stdout
    digest = hashlib.sha256(sys.version.encode() + version)
    for name in known_files():
        if not name.startswith("tests/"):
            digest.update(name.encode() + b"\0" + hashlib.sha256((ROOT / name).read_bytes()).digest())
    return digest.hexdigest()[:16]


def build(folder: Path) -> None:
    for path in KEPT.iterdir():
        if path.is_dir():
            shutil.rmtree(path)
    fresh = KEPT / "new"
    subprocess.run([ROOT / ".ci/wheel", sys.executable, fresh], check=True)
    fresh.rename(folder)
