"""Packages of npm that judge what we write, in a folder where Node finds them."""

import fcntl
import os
import shutil
import subprocess
from pathlib import Path

import pytest
from system.peers import PEERS

FOLDER = PEERS / "npm"
SECONDS = 120


def fetched(*packages: str) -> Path:
    """Return the folder with these packages (NAME@VERSION), fetched once; skip the test where they cannot be had."""
    refuse = pytest.fail if os.environ.get("CI") == "true" else pytest.skip
    if shutil.which("npm") is None or shutil.which("node") is None:
        refuse("missing peer: node (not installed)")
    FOLDER.mkdir(parents=True, exist_ok=True)
    with (FOLDER / "lock").open("w") as lock:
        fcntl.flock(lock, fcntl.LOCK_EX)
        missing = [
            each for each in packages if not (FOLDER / "node_modules" / each.rpartition("@")[0]).exists()
        ]
        if missing:
            command = ["npm", "install", "--no-audit", "--no-fund", "--ignore-scripts", *missing]
            done = subprocess.run(command, cwd=FOLDER, capture_output=True, timeout=SECONDS, check=False)
            if done.returncode:
                refuse(f"missing peer: {' '.join(missing)} ({done.stderr.decode()[:200]})")
    return FOLDER
