"""A storm in the background, so that a test may break something in its midst, and the audit of all its ACKs.

A storm's clients are strangers to those of every other one of the same test: `first_client` sets them apart.
"""

import asyncio
import threading
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import Any

from outage.processes import await_true

from dhcp_fast.bench.generator.result import RECORD, Result
from dhcp_fast.bench.generator.storm import Storm
from dhcp_fast.bench.servers.audit import Audit, audit

SEED = 7
# A storm that nobody answers goes on as long as the longest outage of these tests.
PATIENCE = 20.0


class Background:
    """A storm that runs; `wait` ends the wait for it, `stop` the storm."""

    def __init__(
        self,
        server: tuple[str, int],
        *,
        first_client: int = 0,
        segments: bool = True,
        kind: Callable[..., Storm] = Storm,
        **run: Any,
    ) -> None:
        self.storm = kind(
            server,
            seed=SEED,
            first_client=first_client,
            timeout=0.5,
            tries=4,
            patience=PATIENCE,
            segments=segments,
        )
        self.results: list[Result] = []
        self.thread = threading.Thread(target=lambda: self.results.append(self.storm.run(**run)))
        self.thread.start()

    @property
    def completed(self) -> int:
        return int(self.storm.completed)

    def goes_on(self, exchanges: int) -> None:
        """Wait until so many exchanges more have got their ACK."""
        goal = self.completed + exchanges
        await_true(lambda: self.completed >= goal, f"{goal} exchanges: {self.completed}")

    def result(self) -> Result:
        self.storm.stop()
        self.thread.join()
        self.storm.close()
        return self.results[0]


@contextmanager
def storm(server: tuple[str, int], **run: Any) -> Iterator[Background]:
    """A closed loop of 64 clients for a minute at most; it ends with the block. `kind`: of the storm."""
    running = Background(server, **{"window": 64, "seconds": 60.0} | run)
    try:
        yield running
    finally:
        running.storm.stop()
        running.thread.join()


def judge(dsn: str, *results: Result, family: int = 4) -> Audit:
    """Every ACK stands in PostgreSQL for its client, no address twice, history complete."""
    found = asyncio.run(audit(dsn, b"".join(result.log for result in results), seed=SEED, family=family))
    assert found.clean, str(found)
    assert all(result.malformed == result.foreign == result.unexpected == 0 for result in results)
    return found


def renew(
    server: tuple[str, int], held: Result, *, segments: bool = True, kind: Callable[..., Storm] = Storm
) -> Result:
    """Each acknowledged client renews once: what a server thinks of the leases that it or another one gave."""
    storm = kind(server, seed=SEED, timeout=0.5, tries=4, segments=segments)
    try:
        result: Result = storm.run(
            mix="renew", exchanges=len(held.log) // RECORD.size, window=64, held=held.log
        )
    finally:
        storm.close()
    assert (result.naks, result.drops) == (0, 0)
    return result


def quiet(seconds: float) -> None:
    """Let an outage last."""
    time.sleep(seconds)
