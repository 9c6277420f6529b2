"""A line that describes the machine of a measurement."""

import os
import platform
import subprocess
from pathlib import Path

from ipam_core.db.embedded.programs import bundled


def machine(folder: Path) -> dict[str, str]:
    """Return the facts of this machine. `folder` contains the databases; its file system decides what an fsync
    costs."""
    return {
        "cpu": cpu_model(),
        "cores": str(len(os.sched_getaffinity(0))),
        "kernel": platform.release(),
        "python": platform.python_version(),
        "postgresql": postgresql_version(),
        "disk": file_system(folder),
    }


def in_words(facts: dict[str, str]) -> str:
    return (
        f"{facts['cpu']}, {facts['cores']} cores, Linux {facts['kernel']}, Python {facts['python']}, "
        f"PostgreSQL {facts['postgresql']} on {facts['disk']}"
    )


def cpu_model() -> str:
    for line in Path("/proc/cpuinfo").read_text().splitlines():
        if line.startswith("model name"):
            return line.partition(":")[2].strip()
    return platform.machine()


def postgresql_version() -> str:
    shown = subprocess.run([bundled().postgres, "--version"], capture_output=True, text=True, check=False)
    return shown.stdout.rpartition(" ")[2].strip() or "unknown"


def file_system(folder: Path) -> str:
    """Return the type of the file system that holds the folder: the longest mount point that leads to it."""
    mounts = [line.split() for line in Path("/proc/self/mounts").read_text().splitlines()]
    path = folder.resolve()
    holding = [fields for fields in mounts if path.is_relative_to(fields[1])]
    return max(holding, key=lambda fields: len(fields[1]))[2] if holding else "unknown"
