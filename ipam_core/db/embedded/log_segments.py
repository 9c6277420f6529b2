"""Segments of PostgreSQL's log that a fresh cluster has before it needs them.

PostgreSQL makes a segment when it needs it, and the embedded one makes it without blocks (wal_init_zero off: a writer
would wait for 16 MiB of zeros otherwise). Until the first checkpoints have left segments to be written over, each flush
of the log then has the file system allocate blocks too. So the first segments are filled before the server's first
start. It overwrites a file with the next segment's name, as it does with files that its checkpointer makes. They are
filled only while no server runs, because a running server gives the same names.
"""

import os
import shutil
from pathlib import Path

from ipam_core.db.embedded.programs import Account

AHEAD = 8
"""They hold some 150,000 new leases."""
SEGMENT = 16 << 20
ROOMY = 16
"""So many times their size is free on the disk, or none is made."""
A_LOG = 256  # segments: the number's last eight digits count to it
NAME_DIGITS = 24


def make_ahead(folder: Path, account: Account, count: int) -> None:
    """Fill the next `count` segments in a cluster's pg_wal, and flush them to disk."""
    if shutil.disk_usage(folder).free < ROOMY * count * SEGMENT:
        return
    last = max(path.name for path in folder.iterdir() if len(path.name) == NAME_DIGITS)
    for number in range(1, count + 1):
        fill(folder / name_after(last, number), account)
    descriptor = os.open(folder, os.O_RDONLY | os.O_DIRECTORY)
    try:
        os.fsync(descriptor)
    finally:
        os.close(descriptor)


def name_after(name: str, number: int) -> str:
    """Return the segment's so many places on, of the same timeline: three numbers of eight hexadecimal digits."""
    timeline, log, segment = (int(name[at : at + 8], 16) for at in (0, 8, 16))
    log, segment = divmod(log * A_LOG + segment + number, A_LOG)
    return f"{timeline:08X}{log:08X}{segment:08X}"


def fill(path: Path, account: Account) -> None:
    with account.create(path) as file:
        for _ in range(SEGMENT >> 20):
            file.write(bytes(1 << 20))
        file.flush()
        os.fsync(file.fileno())
