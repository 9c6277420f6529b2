"""Tests of deploy/ that ask other programs report a missing one as those of tests/system do."""

from system.conftest import pytest_runtest_setup

__all__ = ["pytest_runtest_setup"]
