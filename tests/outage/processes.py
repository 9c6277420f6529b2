"""The command `ipam` as an operator's machine runs it: a child process, told everything by its environment.

`Role` starts any of `dhcp`, `api` and `up` on ports of its own, waits for its /readyz, reads its metrics and ends it
by the signal that a test chooses. What it wrote is kept over restarts and shown when a test fails.
"""

import contextlib
import http.client
import json
import os
import re
import signal
import subprocess
import sys
import time
from collections.abc import Callable, Iterable, Sequence
from pathlib import Path
from types import TracebackType
from typing import Any, Self

from ports import free_endpoint

COMMAND = [sys.executable, "-P", "-m", "api.cli"]
WAIT_SECONDS = 20.0
START_SECONDS = 60.0  # of all parts, with a new database
POLL_SECONDS = 0.02


class Role:
    """One process of `ipam`; `settings` are IPAM_* names without the prefix, lowercase."""

    def __init__(self, folder: Path, *arguments: str, before: Sequence[str] = (), **settings: str) -> None:
        self.command = [*before, *COMMAND, *arguments]
        self.dhcp = free_endpoint()
        self.api = free_endpoint()
        self.health = free_endpoint()
        self.log = folder / f"{arguments[0]}-{self.api.port}.log"
        told = {
            "data_dir": str(folder),
            "dhcp4_listen": str(self.dhcp),
            "api_listen": str(self.api),
            "health_listen": str(self.health),
            "rate_limit": "0",
            **(self.all_parts() if arguments[0] == "up" else {}),
            **settings,
        }
        named = {f"IPAM_{name.upper()}": value for name, value in told.items() if value}
        self.environment = {"PATH": os.environ["PATH"], "HOME": str(folder), **named}
        self.process: subprocess.Popen[bytes] | None = None

    def __enter__(self) -> Self:
        self.start()
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self.end(signal.SIGTERM)
        if error is not None:
            print(self.said())

    def listen(self, host: str) -> None:
        """Serve DHCP on another address than 127.0.0.1."""
        self.dhcp = free_endpoint(host)
        self.environment["IPAM_DHCP4_LISTEN"] = str(self.dhcp)

    def all_parts(self) -> dict[str, str]:
        """Where the parts of `ipam up` listen that only it starts."""
        return {"dhcp6_listen": f"[::1]:{self.dhcp.port}", "dns_listen": str(free_endpoint())}

    @property
    def address(self) -> tuple[str, int]:
        return self.dhcp.host, self.dhcp.port

    @property
    def pid(self) -> int:
        assert self.process is not None
        return self.process.pid

    def start(self) -> None:
        with self.log.open("ab") as log:
            self.process = subprocess.Popen(self.command, stdout=log, stderr=log, env=self.environment)

    def end(self, how: signal.Signals) -> int:
        """Send the signal and wait for the end; the exit status."""
        assert self.process is not None
        if self.process.poll() is None:
            self.process.send_signal(how)
        return self.ended()

    def ended(self) -> int:
        assert self.process is not None
        try:
            return self.process.wait(WAIT_SECONDS)
        except subprocess.TimeoutExpired:
            self.process.kill()
            self.process.wait()
            raise

    def said(self) -> str:
        return self.log.read_text(errors="replace")

    # --- health

    def ready(self) -> None:
        """Wait until /readyz says yes."""
        await_true(self.is_ready, f"ready:\n{self.said()}", START_SECONDS)

    def is_ready(self) -> bool:
        assert self.process is None or self.process.poll() is None, self.said()
        return self.readiness()[0] == 200

    def readiness(self) -> tuple[int, str]:
        """Status of /readyz and the reason that it gives; 0 when nobody answers."""
        status, body = self.page("/readyz")
        return status, str(json.loads(body).get("reason", body)) if status else ""

    def metric(self, name: str) -> float:
        """The sum of a metric's values over its labels."""
        values = re.findall(rf"^{name}(?:{{.*?}})? (\S+)$", self.page("/metrics")[1], re.MULTILINE)
        return sum(map(float, values))

    def page(self, path: str) -> tuple[int, str]:
        connection = http.client.HTTPConnection(self.health.host, self.health.port, timeout=5)
        try:
            connection.request("GET", path)
            answer = connection.getresponse()
            return answer.status, answer.read().decode()
        except OSError:
            return 0, ""
        finally:
            connection.close()


def await_true(true: Callable[[], Any], what: str, seconds: float = WAIT_SECONDS) -> None:
    deadline = time.monotonic() + seconds
    while not true():
        assert time.monotonic() < deadline, f"never {what}"
        time.sleep(POLL_SECONDS)


def signal_all(pids: Iterable[int], how: signal.Signals) -> None:
    """As nearly at once as can be; some may be gone by then, killed along with their parent."""
    for pid in sorted(pids):
        with contextlib.suppress(ProcessLookupError):
            os.kill(pid, how)
