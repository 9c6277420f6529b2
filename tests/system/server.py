"""Our DHCP server as a test runs it: the real command, in a namespace, told everything by its environment."""

import sys
import time
from pathlib import Path

from system import peers
from system.namespaces import Namespace, Process, stop

READY_SECONDS = 20
HEALTH = "127.0.0.1:8081"
AWAIT_READY = """
import sys, time, urllib.error, urllib.request
url, deadline = sys.argv[1], time.monotonic() + float(sys.argv[2])
while True:
    try:
        urllib.request.urlopen(url, timeout=1)
        break
    except (OSError, urllib.error.HTTPError) as error:
        if time.monotonic() > deadline:
            sys.exit(f"{url}: {error}")
        time.sleep(0.05)
"""
FETCH = "import sys, urllib.request; print(urllib.request.urlopen(sys.argv[1], timeout=5).read().decode())"


class DhcpServer:
    """`ipam dhcp` in a namespace; `settings` are IPAM_* names without the prefix, lowercase."""

    def __init__(
        self, namespace: Namespace, dsn: str, folder: Path, family: str = "4", **settings: str
    ) -> None:
        self.namespace = namespace
        self.family = family
        self.folder = folder
        self.log = folder / "server.log"
        told = {"database_url": dsn, "data_dir": str(folder), "health_listen": HEALTH, **settings}
        self.environment = {f"IPAM_{name.upper()}": value for name, value in told.items()}
        self.process: Process | None = None

    def start(self) -> None:
        """Start and wait until /readyz says yes."""
        env = {"PATH": peers.SEARCH_PATH, "HOME": str(self.folder), **self.environment}
        command = [sys.executable, "-P", "-m", "api.cli", *self.words()]
        self.process = self.namespace.start(*command, log=self.log, env=env, cwd=self.folder)
        self._await_ready()

    def words(self) -> list[str]:
        return ["dhcp", "--family", self.family]

    def stop(self) -> None:
        assert self.process is not None
        stop(self.process)

    def metrics(self) -> dict[str, float]:
        """/metrics: name with labels to value."""
        text = self.namespace.run(sys.executable, "-c", FETCH, f"http://{HEALTH}/metrics")
        pairs = [line.rpartition(" ") for line in text.splitlines() if line and line[0] != "#"]
        return {name: float(value) for name, _, value in pairs}

    def counts(self) -> dict[str, float]:
        """What was counted at all, to be read beside a failure."""
        return {name: value for name, value in self.metrics().items() if value and "_total" in name}

    def _await_ready(self) -> None:
        assert self.process is not None
        asking = [sys.executable, "-c", AWAIT_READY, f"http://{HEALTH}/readyz", str(READY_SECONDS)]
        poll = self.namespace.start(*asking, log=self.log)
        while poll.poll() is None and self.process.poll() is None:
            time.sleep(0.02)
        stop(poll)
        assert poll.returncode == 0, f"the server is not ready:\n{self.log.read_text(errors='replace')}"


class DnsServer(DhcpServer):
    """`ipam dns`, likewise."""

    def words(self) -> list[str]:
        return ["dns"]
