"""What a test has in common with the others of its file, by its marks."""

import pytest


def shares_server(test: pytest.Item) -> bool:
    """It asks the file's one DHCP server, on the file's database (tests/engine/shared.py)."""
    return bool(test.get_closest_marker("shared_server") and not test.get_closest_marker("own_server"))


def has_own_database(test: pytest.Item) -> bool:
    """It has one of its own where those of its file have one after the other (tests/emptied.py)."""
    return test.get_closest_marker("own_database") is not None
