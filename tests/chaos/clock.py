"""The clock of records: the wall clock's time, by a clock that nobody sets."""

import time

EPOCH = time.time() - time.monotonic()


def now() -> float:
    """Seconds of a clock that nobody sets, counted from the machine's when the first of several crowds began."""
    return EPOCH + time.monotonic()


def anchor() -> None:
    """The machine's clock is corrected by and by, and what the database says is compared with ours."""
    global EPOCH
    EPOCH = time.time() - time.monotonic()
