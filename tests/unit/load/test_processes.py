"""CPU accounting from /proc, tried on children that burn a known amount."""

import os
import subprocess
import sys
from contextlib import suppress

from dhcp_fast.load.processes import cpu_seconds, family

BURN = "import time\nwhile time.process_time() < 0.3: pass\n"
PARENT = f"""
import subprocess, sys
subprocess.run([sys.executable, "-c", {BURN!r}])
running = subprocess.Popen([sys.executable, "-c", {BURN!r} + "print('done', flush=True)\\ninput()"],
                           stdin=subprocess.PIPE)
running.wait()
"""


def test_counts_children_that_live_and_children_that_ended() -> None:
    parent = subprocess.Popen([sys.executable, "-c", PARENT], stdin=subprocess.PIPE, stdout=subprocess.PIPE)
    try:
        assert parent.stdout is not None
        assert parent.stdout.readline() == b"done\n"
        assert len(family(parent.pid)) == 2
        assert 0.55 <= cpu_seconds([parent.pid]) < 5
    finally:
        for pid in family(parent.pid):
            with suppress(ProcessLookupError):  # the child ends by itself when its parent's pipe closes
                os.kill(pid, 9)
        parent.wait()
        parent.stdout.close()
        parent.stdin.close()


def test_a_process_that_is_gone_costs_nothing() -> None:
    gone = subprocess.Popen([sys.executable, "-c", ""])
    gone.wait()
    assert cpu_seconds([gone.pid]) == 0
