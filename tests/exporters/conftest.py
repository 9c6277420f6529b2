"""Peers of tests/system read what is written."""

from system.conftest import pytest_runtest_setup

__all__ = ["pytest_runtest_setup"]
