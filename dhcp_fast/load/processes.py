"""CPU time of processes, from /proc: what a lease costs the server, PostgreSQL and the generator."""

import os
from collections.abc import Iterable
from pathlib import Path

TICK = 1.0 / os.sysconf("SC_CLK_TCK")

# Fields of /proc/<pid>/stat behind the command's name, counted from the state.
PARENT, OWN, CHILDREN = 1, slice(11, 13), slice(13, 15)


def stat(pid: int) -> list[str] | None:
    """The fields after the name, which may hold blanks; None when the process is gone."""
    try:
        text = Path(f"/proc/{pid}/stat").read_text()
    except (FileNotFoundError, ProcessLookupError):
        return None
    return text[text.rindex(")") + 2 :].split()


def family(root: int) -> set[int]:
    """A process and its descendants."""
    pids = [int(path.name) for path in Path("/proc").iterdir() if path.name.isdigit()]
    parents = {pid: int(fields[PARENT]) for pid in pids if (fields := stat(pid))}
    members = {root}
    while found := {pid for pid, parent in parents.items() if parent in members} - members:
        members |= found
    return members


def cpu_seconds(roots: Iterable[int]) -> float:
    """User and system time of the roots' families, children that have ended and were waited for included."""
    ticks = 0
    for root in roots:
        for pid in family(root):
            if fields := stat(pid):
                ticks += sum(map(int, fields[OWN])) + sum(map(int, fields[CHILDREN]))
    return ticks * TICK
