"""Subnets that are new to a worker: what the database tells of their leases, also when it goes away meanwhile."""

import os
from typing import Any

import pytest

from dhcp_fast.workers.duties import SupervisedDuties
from dhcp_fast.workers.sockets import Part
from ipam_core.settings import Settings

PART = Part(os.getpid(), 4, 0, 2, 0, [], None, 0, 0)


class Feed:
    """As much of a feed as reads subnets; the database is away the first time."""

    def __init__(self) -> None:
        self.read: list[set[int]] = []
        self.away = True

    async def read_subnets(self, _connection: Any, numbers: set[int]) -> None:
        if self.away:
            self.away = False
            raise ConnectionError
        self.read.append(set(numbers))


async def test_subnets_whose_leases_could_not_be_read_are_read_next_time() -> None:
    duties, feed = SupervisedDuties(Settings(), PART), Feed()
    with pytest.raises(ConnectionError):
        await duties.count_in(feed, None, [5, 6])  # type: ignore[arg-type]
    await duties.count_in(feed, None, [7])  # type: ignore[arg-type]
    await duties.count_in(feed, None, [])  # type: ignore[arg-type]
    assert feed.read == [{5, 6, 7}, set()]
