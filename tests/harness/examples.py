"""The number of examples that hypothesis makes: what a test names at `--fuzz-count 20000`, in proportion otherwise.

Hypothesis needs the number when the file of a test is imported; conftest.py sets it before.
"""

NAMED_FOR = 20_000
LEAST = 20

fuzz_count = NAMED_FOR


def examples(named: int) -> int:
    return max(LEAST, named * fuzz_count // NAMED_FOR)
