"""What benchmarks/dns.py drives starts and answers: ours as a process, and the servers it is compared with."""

from pathlib import Path

import pytest
from peers.servers import Peer

from benchmarks.dns import ZONE, others, ours, prepare, questions

pytestmark = pytest.mark.peers


async def answers(peer: Peer) -> None:
    assert await peer.ask(f"h19.{ZONE}", "A") == {"10.0.0.19"}
    assert await peer.ask(f"none3.{ZONE}", "A") == set()


@pytest.fixture
def folder(data_dir: Path) -> Path:
    """That the account of the embedded PostgreSQL passes through."""
    data_dir.mkdir()
    prepare(data_dir, 20)
    return data_dir


async def test_ours(folder: Path) -> None:
    async with ours(folder, 20) as peer:
        await answers(peer)


@pytest.mark.parametrize("kind", ["powerdns", "nsd", "knot"])
async def test_others(tmp_path: Path, kind: str) -> None:
    async with others(20)[kind](tmp_path) as peer:
        await answers(peer)


def test_questions_have_answers_mostly() -> None:
    lines = questions(20).splitlines()
    assert sum(line.startswith("h") for line in lines) == len(lines) * 9 // 10
