"""Instructions per packet on the engine's common path, counted by callgrind.

    .venv/bin/python -m benchmarks.instructions              # a table in Markdown
    .venv/bin/python -m benchmarks.instructions --functions  # and the functions that cost most

Unlike a time, the figure is the same on a busy machine as on a quiet one, so it shows the cost of a
change of the code. It counts our process between a packet's arrival and its reply, from `Engine.receive` to the last
sendmmsg. The encoding of the statement and the reading of its answer are included, the kernel and
PostgreSQL are not. The program under valgrind is `benchmarks/common_path.py`; a fresh PostgreSQL
contains the storm's plan.
"""

import argparse
import asyncio
import importlib
import os
import re
import shutil
import subprocess
import sys
from pathlib import Path
from uuid import UUID

from benchmarks import callgrind
from benchmarks.callgrind import Function, Profile
from benchmarks.common_path import STEPS
from dhcp_fast.bench.servers import bench_plan
from dhcp_fast.bench.servers.databases import migrated_postgres, scratch
from ipam_core.db.connect import connect

PACKETS = 2048
SHOWN = 25
FIXED_ID = 0x0123456789ABCDEF_FEDCBA9876543210
TOTAL = "in all"

# Owners of functions, by module. The others (leases, structures, the C library, Python) work for
# their callers.
GROUPS = {
    "receive, send": ("udp", "engine", "engine_state", "send_order"),
    "parse": ("packet4",),
    "select, identify": ("subnets", "subnet_index", "subnet_selection", "client", "hostname"),
    "decide": ("messages", "allocation", "rapid_commit", "limits"),
    "build": ("reply", "options", "reply4"),
    "queue, encode": ("queue", "batch", "bind"),
    "learn": ("retry", "lease_cache"),
}
OWNERS = {module: group for group, modules in GROUPS.items() for module in modules}
ROOM = "dhcp_fast"

# Functions that are counted, with all that they call: module and method.
COUNTED = (
    ("dhcp_fast.engine.engine", "6Engine", "receive"),
    ("dhcp_fast.engine.batch", "", "take_batch"),
    ("dhcp_fast.engine.batch", "5Batch", "encode"),
    ("dhcp_fast.pg.bind", "12AnswerReader", "feed"),
    ("dhcp_fast.engine.batch", "5Batch", "committed"),
)


def owner(function: Function) -> str | None:
    return OWNERS.get(function.library)


def measure(packets: int) -> dict[str, Profile]:
    """Return a profile of each step, of `packets` packets."""
    with scratch() as folder, migrated_postgres(folder) as (_, dsn):
        asyncio.run(bench_plan.insert(dsn))
        asyncio.run(fix_hash_key(dsn))
        run_under_valgrind(folder / "profile", dsn, packets)
        # Dumps are numbered from 1, and each step has one for its warm-up and one for itself.
        return {
            step: callgrind.read(folder / f"profile.{2 * place}") for place, step in enumerate(STEPS, start=1)
        }


async def fix_hash_key(dsn: str) -> None:
    """Fix the key that identities are hashed with, so that every run probes the same places."""
    connection = await connect(dsn)
    await connection.execute("update cluster_key set hash_key = $1", UUID(int=FIXED_ID))
    await connection.close()


def run_under_valgrind(output: Path, dsn: str, packets: int) -> None:
    command = [valgrind(), "--quiet", "--tool=callgrind", f"--callgrind-out-file={output}"]
    command += ["--compress-strings=no", "--compress-pos=no", "--dump-before=getppid"]
    command += [f"--toggle-collect={symbol(*counted)}" for counted in COUNTED]
    command += [sys.executable, "-m", "benchmarks.common_path", dsn, str(packets)]
    done = subprocess.run(
        command, env=os.environ | {"PYTHONHASHSEED": "0"}, capture_output=True, text=True, check=False
    )
    if done.returncode:
        sys.exit(f"the common path failed under valgrind:\n{done.stderr[-3000:]}")


def symbol(module: str, owner: str, method: str) -> str:
    """Return the C name of a method: Cython puts its place among the methods before its own name."""
    library = importlib.import_module(module).__file__ or ""
    listed = subprocess.run(["nm", library], capture_output=True, text=True, check=True).stdout
    (found,) = re.findall(rf" [tT] (__pyx_pw_\w*{owner}_\d+{method})$", listed, re.MULTILINE)
    return str(found)


def valgrind() -> str:
    found = shutil.which("valgrind")
    if found is None:
        sys.exit(
            "valgrind is needed and not on PATH; Debian's package is `valgrind` (apt-get install valgrind)"
        )
    return found


def figures(profile: Profile, packets: int) -> dict[str, float]:
    """Return instructions per packet by group; functions that none of ours called (Python's call of
    us) count as receiving.
    """
    groups = callgrind.by_owner(profile, owner)
    groups["receive, send"] = groups.get("receive, send", 0.0) + groups.pop("", 0.0)
    return {name: groups.get(name, 0.0) / packets for name in GROUPS} | {TOTAL: profile.total / packets}


def table(profiles: dict[str, Profile], packets: int) -> str:
    columns = [*GROUPS, TOTAL]
    lines = [f"| step | {' | '.join(columns)} |", "|---" * (1 + len(columns)) + "|"]
    for step, profile in profiles.items():
        found = figures(profile, packets)
        lines.append(f"| {step} | {' | '.join(f'{found[name]:,.0f}' for name in columns)} |")
    return "\n".join(lines)


def functions(profile: Profile, packets: int) -> str:
    costs = sorted(profile.own.items(), key=lambda item: -item[1])[:SHOWN]
    return "\n".join(f"{cost / packets:9,.1f}  {f.library}  {readable(f.name)}" for f, cost in costs)


def readable(name: str) -> str:
    """Return the name without the marks that Cython puts before it."""
    return name.rpartition(ROOM)[2] or name


def main() -> None:
    parser = argparse.ArgumentParser(description="Instructions a packet on the engine's common path.")
    parser.add_argument("--packets", type=int, default=PACKETS, help="of each step")
    parser.add_argument("--functions", action="store_true", help="the functions that cost most, a step")
    asked = parser.parse_args()
    profiles = measure(asked.packets)
    print(table(profiles, asked.packets))
    for step, profile in profiles.items() if asked.functions else ():
        print(f"\n{step}\n{functions(profile, asked.packets)}")


if __name__ == "__main__":
    main()
