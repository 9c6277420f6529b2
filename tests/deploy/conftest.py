"""Tests of deploy/ that ask other programs report a missing one as those of tests/system do."""

from system.conftest import network, pytest_runtest_setup

__all__ = ["network", "pytest_runtest_setup"]
