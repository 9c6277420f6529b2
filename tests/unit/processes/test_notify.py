"""systemd is told once, at a path or an abstract address, and a child cannot tell it again."""

import os
import socket

import pytest

from ipam_core.processes import notify
from ipam_core.settings import NOTIFY_SOCKET, Settings, environment


@pytest.mark.parametrize("form", ["path", "abstract"])
def test_readiness_is_told_once(form: str, tmp_path: object, monkeypatch: pytest.MonkeyPatch) -> None:
    address = f"{tmp_path}/notify" if form == "path" else f"@ipam-test-{os.getpid()}"
    with socket.socket(socket.AF_UNIX, socket.SOCK_DGRAM) as systemd:
        systemd.bind(address.replace("@", "\0"))
        systemd.settimeout(1)
        monkeypatch.setenv(NOTIFY_SOCKET, address)
        assert NOTIFY_SOCKET not in environment(Settings())
        notify.ready()
        notify.ready()
        assert systemd.recv(100) == b"READY=1"
        systemd.setblocking(False)
        with pytest.raises(BlockingIOError):
            systemd.recv(100)
