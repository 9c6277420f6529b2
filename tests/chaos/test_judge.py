"""The judge sees what is wrong: each spoiled record alone, beside one that is as it must be."""

from ipaddress import IPv4Address

from chaos.judge import DECLINED, LATE, LEFT, REFUSED, RELEASED, TAKEN, Event, Moment, Record, judge

ONE, OTHER = bytes.fromhex("020000000001"), bytes.fromhex("020000000002")
A, B = IPv4Address("10.128.1.1"), IPv4Address("10.128.1.2")
SERVER = IPv4Address("10.8.0.11")


def ack(at: float, mac: bytes, address: IPv4Address, seconds: int = 60, what: str = TAKEN) -> Record:
    return Record(at, what, mac, address, SERVER, seconds)


def told(at: float, what: str, mac: bytes, address: IPv4Address) -> Record:
    return Record(at, what, mac, address, SERVER)


def grant(record: Record, ago: float = 0.01) -> Event:
    return Event(record.mac, record.address, record.at - ago, record.at + record.seconds)


def faults(records: list[Record], events: list[Event] | None = None) -> set[str]:
    """With everything written and standing, unless `events` says what is."""
    acks = [record for record in records if record.what in (TAKEN, LATE)]
    standing = {(record.mac, record.address) for record in acks}
    return set(judge(records, [grant(a) for a in acks] if events is None else events, standing).faults)


def test_two_clients_of_one_address_after_another_are_right() -> None:
    for end in (RELEASED, DECLINED, REFUSED, LEFT):
        assert not faults([ack(1, ONE, A), told(9, end, ONE, A), ack(9.1, OTHER, A)])
    assert not faults([ack(1, ONE, A), ack(61.1, OTHER, A)])
    assert not faults([ack(1, ONE, A), ack(9, ONE, B), ack(9.1, OTHER, A)])


def test_an_address_given_to_two_clients_is_seen() -> None:
    assert faults([ack(1, ONE, A), ack(9, OTHER, A)]) == {"doubled"}
    assert faults([ack(1, ONE, A), ack(50, ONE, A), ack(61.1, OTHER, A)]) == {"doubled"}
    # What is given back is another address, or another client's.
    assert faults([ack(1, ONE, A), told(8, RELEASED, ONE, B), ack(9, OTHER, A)]) == {"doubled"}
    assert faults([ack(1, ONE, A), told(8, RELEASED, OTHER, A), ack(9, OTHER, A)]) == {"doubled"}
    # A short hold between hides no long one.
    short = [ack(2, OTHER, A, seconds=1), ack(30, bytes(6), A)]
    assert len(judge([ack(1, ONE, A), *short], [], set()).faults["doubled"]) == 2


def test_an_ack_that_was_not_taken_up_holds_nothing() -> None:
    assert not faults([ack(1, ONE, A, what=LATE), ack(9, OTHER, A)])


def test_an_ack_that_history_does_not_know_is_seen() -> None:
    for what in (TAKEN, LATE):
        record = ack(1, ONE, A, what=what)
        assert faults([record], []) == {"not in history"}
        assert faults([record], [grant(ack(1, OTHER, A)), grant(ack(1, ONE, B))]) == {"not in history"}


def test_an_ack_before_its_commit_is_seen() -> None:
    record = ack(1, ONE, A)
    assert faults([record], [grant(record, ago=-0.01)]) == {"before its commit"}


def test_a_promise_that_was_not_committed_is_seen() -> None:
    record = ack(100, ONE, A)
    assert faults([record], [Event(ONE, A, 99.0, 150.0)]) == {"promised for longer"}


def test_a_lease_that_no_longer_stands_is_seen() -> None:
    records = [ack(1, ONE, A), ack(2, OTHER, B)]
    events = [grant(record) for record in records]
    assert set(judge(records, events, {(ONE, A)}).faults) == {"lost"}
    ended = [*records, told(3, RELEASED, OTHER, B)]
    assert not judge(ended, events, {(ONE, A)}).faults
    over = max(record.end for record in records)
    assert not judge(records, events, set(), read=over).faults


def test_a_history_that_runs_against_its_versions_is_seen() -> None:
    expired, granted = Moment(A, 7, 20.0, "x"), Moment(A, 8, 20.0, "g")
    right = [Moment(B, 9, 1.0, "g"), granted, expired, Moment(A, 3, 2.0, "g")]
    assert not judge([], [], set(), right).faults
    spoiled = [granted._replace(at=19.986), expired]
    assert set(judge([], [], set(), spoiled).faults) == {"history runs backwards"}
