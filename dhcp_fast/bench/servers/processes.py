"""Resources of processes, from /proc: CPU time, memory, and losses of their sockets.

They separate the cost of a lease to the server, to PostgreSQL and to the generator on one machine.
"""

import os
from collections.abc import Iterable
from pathlib import Path

TICK = 1.0 / os.sysconf("SC_CLK_TCK")

# Fields of /proc/<pid>/stat behind the command's name, counted from the state.
PARENT, OWN, CHILDREN = 1, slice(11, 13), slice(13, 15)


def stat(pid: int) -> list[str] | None:
    """Return the fields after the name, which may hold blanks; None when the process is gone."""
    try:
        text = Path(f"/proc/{pid}/stat").read_text()
    except (FileNotFoundError, ProcessLookupError):
        return None
    return text[text.rindex(")") + 2 :].split()


def family(root: int) -> set[int]:
    """Return a process and its descendants."""
    pids = [int(path.name) for path in Path("/proc").iterdir() if path.name.isdigit()]
    parents = {pid: int(fields[PARENT]) for pid in pids if (fields := stat(pid))}
    members = {root}
    while found := {pid for pid, parent in parents.items() if parent in members} - members:
        members |= found
    return members


def cpu_seconds(roots: Iterable[int]) -> float:
    """Return user and system time of the roots' families, children that have ended and were waited for included."""
    ticks = 0
    for root in roots:
        for pid in family(root):
            if fields := stat(pid):
                ticks += sum(map(int, fields[OWN])) + sum(map(int, fields[CHILDREN]))
    return ticks * TICK


def thread_seconds(pid: int) -> float:
    """Return the processor time of a process's first thread, to its last switch or tick (schedstat, nanoseconds)."""
    return int(Path(f"/proc/{pid}/schedstat").read_text().split()[0]) / 1e9


class Theft:
    """Theft: the share of the machine's processor time that its host gives to others from now on
    ("steal", proc(5)).
    """

    def __init__(self) -> None:
        self.passed, self.stolen = machine_ticks()

    def share(self) -> float:
        passed, stolen = machine_ticks()
        return (stolen - self.stolen) / max(passed - self.passed, 1)


def machine_ticks() -> tuple[int, int]:
    """Return all ticks of all processors, idle ones too, and those that were stolen."""
    ticks = [int(field) for field in Path("/proc/stat").read_text().partition("\n")[0].split()[1:9]]
    return sum(ticks), ticks[7]


def own_cpu_seconds(pid: int) -> float:
    """Return user and system time of the process itself, without its children's; 0 when it is gone."""
    fields = stat(pid)
    return sum(map(int, fields[OWN])) * TICK if fields else 0.0


def memory(roots: Iterable[int]) -> dict[str, int]:
    """Return octets in use by the roots' families: `pss` shares what several have in common, `private` is anonymous
    memory alone, without PostgreSQL's shared buffers and without files."""
    found = {"pss": 0, "private": 0}
    for root in roots:
        for pid in family(root):
            figures = rollup(pid)
            found["pss"] += figures.get("Pss", 0)
            found["private"] += figures.get("Pss_Anon", 0)
    return found


def rollup(pid: int) -> dict[str, int]:
    """Return /proc/<pid>/smaps_rollup in octets; empty when the process is gone or hidden from us."""
    try:
        lines = Path(f"/proc/{pid}/smaps_rollup").read_text().splitlines()[1:]
    except OSError:
        return {}
    return {name: int(value.split()[0]) * 1024 for name, _, value in (line.partition(":") for line in lines)}


def lost_datagrams(port: int) -> int:
    """Return what the UDP sockets on a port of this network namespace lost because they were full."""
    tables = (Path("/proc/net") / name for name in ("udp", "udp6"))
    lines = [line.split() for table in tables for line in table.read_text().splitlines()[1:]]
    return sum(int(fields[-1]) for fields in lines if int(fields[1].rpartition(":")[2], 16) == port)
