"""How a command loads what it runs."""

import subprocess
import sys

COMMAND = """
import gc, sys
from ipam_core.processes.loading import begin, loading
begin()
with loading():
    assert not gc.isenabled()
    import httpx, structlog
    assert not {"rich", "pygments"} & set(sys.modules)
assert gc.isenabled() and gc.get_freeze_count() > 10_000
import rich.console
assert str(httpx.URL("http://a.test/b")) and structlog.get_logger()
print(httpx.__name__, structlog.dev.ConsoleRenderer(colors=False)(None, "info", {"event": "said"}))
"""


def test_a_command_loads_what_it_needs_of_its_libraries() -> None:
    said = subprocess.run([sys.executable, "-c", COMMAND], capture_output=True, text=True, check=True)
    assert said.stdout.split() == ["httpx", "said"]


def test_a_process_that_is_no_commands_stays_as_it_is() -> None:
    code = "import gc\nfrom ipam_core.processes.loading import loading\nwith loading(): print(gc.isenabled())"
    said = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert said.stdout.split() == ["True"]
