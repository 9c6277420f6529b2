"""The site of the guides, built by `make docs`; tests share one build of these sources."""

import subprocess
import sys
from functools import cache
from pathlib import Path

ROOT = Path(__file__).parents[1]
BUILT = ROOT / "api/guide/built"


@cache
def require() -> Path:
    """Return the folder of the site, built unless it is fresh."""
    subprocess.run([sys.executable, ROOT / ".ci/docs_build.py", "build"], check=True)
    return BUILT
