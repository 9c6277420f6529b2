"""The folder for databases whose durability is not tested."""

import os
import shutil
from pathlib import Path

MEMORY = Path("/dev/shm")
ENOUGH = 8 << 30


def memory_folder() -> str | None:
    """Return a file system in memory; None if it has too little room. A database creates and removes a thousand files,
    each of which takes a disk up to a millisecond, and each flush would wait for the disk. Tests kill processes, whose
    data survives in memory as it does on a disk."""
    if not (MEMORY.is_dir() and os.access(MEMORY, os.W_OK)) or shutil.disk_usage(MEMORY).free < ENOUGH:
        return None
    return str(MEMORY)
