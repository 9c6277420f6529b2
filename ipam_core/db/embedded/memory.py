"""Memory that is available to the service: the machine's, or less where a container or a service is limited."""

import os
from collections.abc import Iterator
from pathlib import Path

GROUPS = Path("/sys/fs/cgroup")
OWN = Path("/proc/self/cgroup")


def available(groups: Path = GROUPS, own: Path = OWN) -> int:
    """Return octets; the least of the machine's and of what our control group and those above it allow (Linux, cgroup
    v2)."""
    machine = os.sysconf("SC_PAGE_SIZE") * os.sysconf("SC_PHYS_PAGES")
    return min([machine, *limits(groups, own)])


def limits(groups: Path, own: Path) -> Iterator[int]:
    for folder in folders(groups, own):
        try:
            told = (folder / "memory.max").read_text().strip()
        except OSError:
            continue
        if told.isdigit():  # else "max"
            yield int(told)


def folders(groups: Path, own: Path) -> list[Path]:
    """Return the groups from our own, `0::/a/b`, up to the first of all; in a container that one is its own."""
    try:
        lines = own.read_text().splitlines()
    except OSError:
        return []
    paths = [line.removeprefix("0::/") for line in lines if line.startswith("0::/")]
    return [groups, *(groups / part for path in paths for part in (path, *map(str, Path(path).parents)))]
