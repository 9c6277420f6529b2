"""Ports of tests: another process of the run never gets one that this process has."""

import subprocess
import sys
from pathlib import Path

from ports import free_port

TESTS = Path(__file__).parents[1]
ASK = "import sys, ports; print([ports.is_claimed(int(port)) for port in sys.argv[1:]])"


def test_a_port_stays_with_the_process_that_found_it() -> None:
    found, other = free_port(), free_port()
    never_looked_for = 9_999
    told = [sys.executable, "-c", ASK, str(found), str(other), str(never_looked_for)]
    asked = subprocess.run(
        told, env={"PYTHONPATH": str(TESTS), "PATH": ""}, capture_output=True, text=True, check=True
    )
    assert asked.stdout.strip() == "[False, False, True]"
