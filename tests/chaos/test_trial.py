"""The judge of campaigns sees what is wrong, and only that: each spoiled history beside one that is as it must be."""

from ipaddress import IPv4Address, IPv6Address
from pathlib import Path

import pytest
from chaos import trial
from chaos.judge import REFUSED, RELEASED, TAKEN, WAITED, Address, Event, Moment, Record
from chaos.trial import History, Struck

ONE, OTHER = bytes.fromhex("020000000001"), bytes.fromhex("020000000002")
A, B, PREFIX = IPv4Address("10.138.1.1"), IPv4Address("10.138.1.2"), IPv6Address("fd10:1::")
SERVER = IPv4Address("192.0.2.21")
KEPT = sorted(Path(__file__).with_name("histories").glob("*.jsonl.gz"))


def ack(at: float, mac: bytes, address: Address, seconds: int = 60, sent: float = 0.0) -> Record:
    return Record(at, TAKEN, mac, address, SERVER, seconds, sent)


def told(at: float, what: str, mac: bytes, address: Address) -> Record:
    return Record(at, what, mac, address, SERVER)


def waited(since: float, until: float) -> Record:
    return Record(until, WAITED, ONE, A, SERVER, 0, since)


def history(*records: Record, faults: tuple[Struck, ...] = (), written: bool = True) -> History:
    acks = [record for record in records if record.what == TAKEN and written]
    return History(
        seed=7,
        faults=list(faults),
        records=list(records),
        events=[Event(a.mac, a.address, a.at - 0.01, a.at + a.seconds) for a in acks],
        active={(a.mac, a.address) for a in acks},
    )


def found(*records: Record, faults: tuple[Struck, ...] = (), written: bool = True) -> set[str]:
    return set(trial.try_(history(*records, faults=faults, written=written)).faults)


KILLED = Struck("kill_server", 10.0, 20.0)
LOST = Struck("lose_commits", 10.0, 20.0)
STEPPED = Struck("step_database_clock", 10.0, 20.0)


def test_a_lease_is_counted_from_the_request_that_was_sent_last() -> None:
    """The ACK took nine seconds: what the client has is over sooner."""
    assert not found(ack(10, ONE, A, sent=1), told(62, RELEASED, ONE, A), ack(61.5, OTHER, A))
    assert found(ack(10, ONE, A, sent=5), ack(61.5, OTHER, A)) == {"doubled"}


def test_a_refusal_of_what_a_client_holds_is_seen() -> None:
    assert found(ack(1, ONE, A), told(30, REFUSED, ONE, A)) == {"refused"}
    assert found(ack(1, ONE, PREFIX), told(60, REFUSED, ONE, PREFIX)) == {"refused"}


def test_a_refusal_of_anything_else_is_right() -> None:
    assert not found(told(1, REFUSED, ONE, A))
    assert not found(ack(1, ONE, A), told(61.5, REFUSED, ONE, A))
    assert not found(ack(1, ONE, A), told(2, RELEASED, ONE, A), told(3, REFUSED, ONE, A))
    assert not found(ack(1, ONE, B), told(3, REFUSED, ONE, A))
    assert not found(ack(1, ONE, A), told(3, REFUSED, OTHER, A))


def test_what_the_database_was_told_to_lose_may_be_refused_and_missing() -> None:
    """But not what was acknowledged before or after, and nobody else may have it."""
    assert not found(ack(15, ONE, A), faults=(LOST,), written=False)
    assert not found(ack(15, ONE, A), told(30, REFUSED, ONE, A), faults=(LOST,))
    assert found(ack(5, ONE, A), told(30, REFUSED, ONE, A), faults=(LOST,)) == {"refused"}
    assert not found(ack(24, ONE, A), faults=(LOST,), written=False), "it may have waited for its reader"
    assert found(ack(26, ONE, A), faults=(LOST,), written=False) == {"not in history", "lost"}
    assert found(ack(15, ONE, A), faults=(KILLED,), written=False) == {"not in history", "lost"}
    assert found(ack(15, ONE, A), ack(30, OTHER, A), faults=(LOST,)) == {"doubled"}


def test_who_is_not_served_in_ten_seconds_of_calm_is_seen() -> None:
    assert not found(waited(1, 11))
    assert not found(waited(12, 29.9), faults=(KILLED,))
    assert found(waited(12, 30.1), faults=(KILLED,)) == {"not served"}
    assert found(waited(1, 12)) == {"not served"}


def test_only_calm_counts() -> None:
    again = Struck("cut_server", 25.0, 40.0)
    assert not found(waited(5, 45), faults=(KILLED, again))
    assert found(waited(5, 51), faults=(KILLED, again)) == {"not served"}


def test_a_database_whose_clock_is_wrong_says_nothing_of_time() -> None:
    late = history(ack(15, ONE, A), faults=(STEPPED,))
    late.events = [Event(ONE, A, 105.0, 165.0)]
    late.moments = [Moment(A, 1, 15.0, "g"), Moment(A, 2, 12.0, "n")]
    assert not trial.try_(late).faults
    late.faults = [KILLED]
    assert set(trial.try_(late).faults) == {"before its commit", "history runs backwards"}


def test_gaps_are_told_by_the_fault() -> None:
    gaps = trial.gaps(
        history(ack(9, ONE, A), ack(16, ONE, A), waited(12, 23), ack(23, ONE, A), faults=(KILLED,))
    )
    assert gaps == {"kill_server": (1, 7.0, 3.0)}


def test_a_history_that_was_kept_is_judged_again(tmp_path: Path) -> None:
    """Nothing of what concerns the fault is left out, and the rest is."""
    whole = history(ack(1, ONE, A), ack(9, OTHER, A), ack(2, bytes(6), B), waited(1, 3), faults=(KILLED,))
    whole.moments = [Moment(A, 1, 1.0, "g"), Moment(B, 2, 2.0, "g")]
    verdict = trial.try_(whole)
    trial.write(tmp_path / "kept.gz", whole, verdict)
    kept, said = trial.read(tmp_path / "kept.gz")
    assert said == ["doubled"]
    assert trial.try_(kept).faults == verdict.faults
    assert (kept.seed, kept.faults, kept.moments) == (7, [KILLED], [Moment(A, 1, 1.0, "g")])
    assert bytes(6) not in {record.mac for record in kept.records}


@pytest.mark.parametrize("path", KEPT, ids=lambda path: path.name)
def test_histories_that_failed_once_still_do(path: Path) -> None:
    """What campaigns found stays found, whatever becomes of the judge."""
    kept, said = trial.read(path)
    assert sorted(trial.try_(kept).faults) == said


def test_a_history_was_kept() -> None:
    assert KEPT
