"""The network of tests/workers: the API makes it, the workers follow."""

from workers.conftest import admin, keyring, make, site

__all__ = ["admin", "keyring", "make", "site"]
