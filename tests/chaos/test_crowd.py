"""A crowd's clients hear what is answered to them, however long they have asked."""

import asyncio
import socket
from collections.abc import AsyncIterator
from ipaddress import IPv4Address

import pytest
from chaos import crowd as crowds
from chaos.crowd import OFFERS, PATIENT, Crowd
from chaos.plots import Plot
from chaos.speech import ACK, OFFER, Heard

PLOT = Plot(0, 64)
SERVER = IPv4Address("10.8.0.11")


@pytest.fixture
async def crowd(monkeypatch: pytest.MonkeyPatch) -> AsyncIterator[Crowd]:
    """Of nobody yet; what was sent last a fifth of a second ago is forgotten."""
    monkeypatch.setattr(crowds, "FORGOTTEN_SECONDS", 0.2)
    with socket.socket(type=socket.SOCK_DGRAM) as sock:
        habits = PATIENT._replace(again=(0.05,))
        yield Crowd(sock, [PLOT], [], count=1, rate=1.0, habits=habits)


def answered(xid: int, word: str = OFFER) -> Heard:
    return Heard(xid, word, SERVER, (), None)


async def ask(crowd: Crowd, within: float) -> Heard | None:
    answer, _ = await crowd.ask(lambda xid, _: b"", OFFERS, within, lambda _: None)
    return answer


async def test_who_has_asked_for_long_hears_the_answer(crowd: Crowd) -> None:
    patient = asyncio.create_task(ask(crowd, 5.0))
    await asyncio.sleep(0)  # it asks first
    for _ in range(5):
        assert await ask(crowd, 0.1) is None
    crowd.take_in(answered(1))
    assert await patient == answered(1)


async def test_what_was_sent_long_ago_is_forgotten(crowd: Crowd) -> None:
    for _ in range(5):
        assert await ask(crowd, 0.1) is None
    assert 0 < len(crowd.waiting) < 5
    crowd.take_in(answered(1, ACK))
    assert not crowd.records
