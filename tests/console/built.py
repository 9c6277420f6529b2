"""The console's built files: the tests build it as `make console` does, so that they try these sources."""

import subprocess
import sys
from pathlib import Path

from system.conftest import refuse
from system.peers import PeerMissingError

ROOT = Path(__file__).parents[2]


def require() -> None:
    """Skips, or fails with CI=true, where the console cannot be built."""
    done = subprocess.run(
        [sys.executable, ROOT / ".ci/console_build.py", "build"], capture_output=True, text=True, check=False
    )
    if done.returncode:
        refuse(PeerMissingError("the built console", done.stderr.strip()[-300:]))
