"""Subnets that are new to a worker: what the database tells of their leases, also when it goes away meanwhile."""

from types import SimpleNamespace
from typing import Any

import pytest

from dhcp_fast.workers.worker import WorkerServer


class Reading(SimpleNamespace):
    """As much of a worker as counts leases in; the database is away the first time."""

    def __init__(self) -> None:
        super().__init__(serves=True, uncounted=set(), read=[], away=True)

    async def read_subnets(self, _connection: Any, numbers: set[int]) -> None:
        if self.away:
            self.away = False
            raise ConnectionError
        self.read.append(set(numbers))


async def test_subnets_whose_leases_could_not_be_read_are_read_next_time() -> None:
    worker: Any = Reading()
    with pytest.raises(ConnectionError):
        await WorkerServer.count_in(worker, None, [5, 6])  # type: ignore[arg-type]
    await WorkerServer.count_in(worker, None, [7])  # type: ignore[arg-type]
    await WorkerServer.count_in(worker, None, [])  # type: ignore[arg-type]
    assert worker.read == [{5, 6, 7}, set()]
