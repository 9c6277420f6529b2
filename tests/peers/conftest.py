"""The network of tests/workers, which the API makes and workers follow, and the wires of tests/system."""

from system.conftest import network, pytest_runtest_setup
from workers.conftest import admin, keyring, make, routes, site

__all__ = ["admin", "keyring", "make", "network", "pytest_runtest_setup", "routes", "site"]
