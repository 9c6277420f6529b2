"""Where the data of databases lies whose durability no test is about."""

import os
import shutil
from pathlib import Path

MEMORY = Path("/dev/shm")
ENOUGH = 8 << 30


def roomy_memory() -> str | None:
    """A file system in memory: a database is a thousand files made and removed, each of which costs a disk up to
    a millisecond, and each flush would wait for the disk. What tests kill are processes, which leave as much
    behind here as there."""
    if not (MEMORY.is_dir() and os.access(MEMORY, os.W_OK)) or shutil.disk_usage(MEMORY).free < ENOUGH:
        return None
    return str(MEMORY)
