"""What deploy files give our processes is what these understand."""

import pytest

from api.cli import installed
from ipam_core import settings

FOUND_ELSEWHERE = {"IPAM_DATABASE_URL": "postgresql://ipam@database/ipam"}


def understood(arguments: list[str], environment: dict[str, str]) -> None:
    """A command of ours, with settings that it accepts. Raises SettingsError."""
    words = [word for word in arguments if word not in ("--config", "/run/secrets/ipam.toml")]
    assert words[0] in installed()
    with pytest.MonkeyPatch.context() as patch:
        for name in settings.read_environment():
            patch.delenv(name)
        for name, value in environment.items():
            patch.setenv(name, value)
        settings.load()
