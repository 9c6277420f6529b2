"""What a test shares with the others of its file, by its marks."""

import pytest


def shares_server(test: pytest.Item) -> bool:
    """Return whether it uses the file's DHCP server and database (tests/engine/shared.py)."""
    return bool(test.get_closest_marker("shared_server") and not test.get_closest_marker("own_server"))


def has_own_database(test: pytest.Item) -> bool:
    """Return whether it uses a database of its own instead of the file's (shared_database.py)."""
    return test.get_closest_marker("own_database") is not None
