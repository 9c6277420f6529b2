"""Exceptions that stay with their item are counted, logged once a minute of each kind, and rest longer each time."""

from structlog.testing import capture_logs

from ipam_core.faults import FIRST_REST, LONGEST_REST, MOST_RESTING, Faults, Resting


class Clock:
    now = 1000.0

    def __call__(self) -> float:
        return self.now


def test_each_kind_is_logged_once_a_minute_with_the_number_between() -> None:
    clock = Clock()
    faults = Faults(clock)
    with capture_logs() as lines:
        for _ in range(500):
            faults.caught("place", ValueError("a"), item=7)
            faults.caught("place", KeyError("a"))
            faults.caught("elsewhere", ValueError("a"))
            clock.now += 0.1
    assert [(line["place"], line["suppressed"]) for line in lines] == [
        ("place", 0),
        ("place", 0),
        ("elsewhere", 0),
    ]
    assert lines[0]["item"] == 7
    clock.now += 60
    with capture_logs() as lines:
        faults.caught("place", ValueError("b"))
    assert [line["suppressed"] for line in lines] == [499]
    (sample,) = [
        sample
        for sample in faults.family().samples
        if sample.labels == {"place": "place", "error": "ValueError"}
    ]
    assert sample.value == 501


def test_the_log_of_a_flood_is_small() -> None:
    """500 a second for an hour, from one place."""
    clock = Clock()
    faults = Faults(clock)
    with capture_logs() as lines:
        for _ in range(500 * 3600):
            clock.now += 0.002
            faults.caught("place", ERROR)
    assert len(lines) <= 61


ERROR = ValueError()


def test_what_fails_again_rests_longer() -> None:
    clock = Clock()
    resting = Resting(clock)
    waited = []
    for _ in range(9):
        resting.rest("item")
        began = clock.now
        while resting.rests("item"):
            clock.now += 0.5
        waited.append(clock.now - began)
    assert waited == [FIRST_REST * 2**n for n in range(6)] + [LONGEST_REST] * 3
    assert not resting.rests("other")
    resting.forget("item")
    resting.rest("item")
    clock.now += FIRST_REST
    assert not resting.rests("item")


def test_what_rests_is_bounded() -> None:
    resting = Resting(Clock())
    for number in range(MOST_RESTING * 2):
        resting.rest(number)
    assert len(resting.items) == MOST_RESTING
    assert resting.rests(MOST_RESTING * 2 - 1)
