from system.conftest import network as network
from system.conftest import pytest_runtest_setup as pytest_runtest_setup
