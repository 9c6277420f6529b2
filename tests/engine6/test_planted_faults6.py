"""A fault planted into one of several Reconfigure messages: the other clients are told."""

from __future__ import annotations

from typing import Any

import pytest
from engine.site import until

from dhcp_fast.server.serving import Serving
from ipam_core import faults


async def test_a_client_that_cannot_be_told(server: Serving, monkeypatch: pytest.MonkeyPatch) -> None:
    """A row of the log that is none of ours, and a lease that cannot be read."""
    told = server.reconfigurations
    assert told is not None
    asked: list[str] = []

    async def read(key: tuple[int, str]) -> Any:
        asked.append(key[1])
        if key[1] == "2001:db8::1":
            raise ZeroDivisionError
        return None

    monkeypatch.setattr(told, "read", read)
    counts = faults.faults.counts
    before = counts["reconfigure", "TypeError"], counts["reconfigure", "ZeroDivisionError"]
    row = {"message": "renew", "replay": 1}
    told.begin(
        [
            {"tenant_no": 1, "after": None},
            {"tenant_no": 1, "after": row | {"ip": "2001:db8::1"}},
            {"tenant_no": 1, "after": row | {"ip": "2001:db8::2"}},
        ]
    )

    async def over() -> bool:
        return not told.telling

    await until("all are told", over)
    assert asked == ["2001:db8::1", "2001:db8::2"]
    after = counts["reconfigure", "TypeError"], counts["reconfigure", "ZeroDivisionError"]
    assert after == (before[0] + 1, before[1] + 1)
