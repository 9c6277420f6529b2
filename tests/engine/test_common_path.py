"""What callgrind counts is what it says: four steps, each packet answered, a quarter of them from memory."""

import asyncio
import subprocess
import sys
from pathlib import Path

from dhcp_fast.bench.servers import bench_plan

ROOT = Path(__file__).parents[2]


async def test_the_common_path_is_walked_to_its_end(database: str) -> None:
    """The command itself refuses drops, losers and written renewals where there should be none."""
    await bench_plan.insert(database)
    command = [sys.executable, "-m", "benchmarks.common_path", database, "100"]
    done = await asyncio.to_thread(
        subprocess.run, command, cwd=ROOT, capture_output=True, text=True, check=False
    )
    assert done.returncode == 0, done.stderr
