"""The wheel of this tree as `.ci/wheel` builds it: once for all runs, until something changes that git knows of.

It stands in build/wheel/<hash of what it is made of>, for the tests of the wheel and for that of the Debian package.
"""

import fcntl
import hashlib
import shutil
import subprocess
import sys
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
