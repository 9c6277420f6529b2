"""How many examples hypothesis makes of a packet: as many as a test names at --fuzz-count 20000, fewer or more with it.

Hypothesis wants the number when a test's file is imported; conftest.py says before that what the option was.
"""

NAMED_FOR = 20_000
LEAST = 20

fuzz_count = NAMED_FOR


def examples(named: int) -> int:
    return max(LEAST, named * fuzz_count // NAMED_FOR)
