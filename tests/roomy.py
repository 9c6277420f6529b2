"""Where the data of databases lies whose durability no test is about."""

import os
import shutil
from pathlib import Path

MEMORY = Path("/dev/shm")
ENOUGH = 8 << 30


def roomy_memory() -> str | None:
    """A file system in memory: a database a test is a thousand files made and removed, and each flush would wait for
    the disk. Tests that kill a database keep theirs on disk."""
    if not (MEMORY.is_dir() and os.access(MEMORY, os.W_OK)) or shutil.disk_usage(MEMORY).free < ENOUGH:
        return None
    return str(MEMORY)
