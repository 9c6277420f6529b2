"""`ipam api` as a process of its own on a test's database, its first admin token, and `ipam` spoken to it."""

from __future__ import annotations

import os
import ssl
import subprocess
import sys
import time
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import NamedTuple

import httpx
from click.testing import CliRunner, Result
from ports import free_port

from api.cli import main

START_SECONDS = 30
IPAM = [sys.executable, "-P", "-m", "api.cli"]


class Served(NamedTuple):
    url: str
    token: str
    health: int = 0  # its port
    pid: int = 0


def ipam(served: Served, *arguments: str, status: int = 0, answer: str | None = None, **told: str) -> Result:
    """A command in this process; `answer` is typed into it, `told` are variables of its environment."""
    environment = {"IPAM_API_URL": served.url, "IPAM_API_TOKEN": served.token} | told
    ran = CliRunner().invoke(main, arguments, input=answer, env=environment, catch_exceptions=False)
    assert ran.exit_code == status, ran.output
    return ran


@contextmanager
def serving(
    dsn: str, folder: Path, *, first_token: bool = True, command: Sequence[str] = IPAM, **settings: str
) -> Iterator[Served]:
    """`command` is how `ipam` is called; `settings` are IPAM_* names without the prefix, lowercase. There are no limits
    unless they say so. With proxies on loopback the first token is for the host's command to make; without
    `first_token` it is for the test."""
    ports = free_port(), free_port()
    told = {
        "database_url": dsn,
        "data_dir": str(folder),
        "api_listen": f"127.0.0.1:{ports[0]}",
        "health_listen": f"127.0.0.1:{ports[1]}",
        "rate_limit": "0",
        "token_rate_limit": "0",
        "outbound_allow": "127.0.0.0/8",  # where the test's NetBox is
    } | settings
    environment = {name: value for name, value in os.environ.items() if not name.startswith("IPAM_")}
    environment |= {f"IPAM_{name.upper()}": value for name, value in told.items()}
    with (folder / "api.log").open("wb") as log:
        process = subprocess.Popen([*command, "api"], env=environment, cwd=folder, stderr=log)
    try:
        await_ready(process, f"http://127.0.0.1:{ports[1]}/readyz")
        scheme, ca = (
            ("https", settings["api_tls_certificate"])
            if "api_tls_certificate" in settings
            else ("http", None)
        )
        url = f"{scheme}://127.0.0.1:{ports[0]}/api/v1"
        trusted = ca is not None and ssl.create_default_context(cafile=ca)
        if not first_token:
            yield Served(url, "", ports[1], process.pid)
            return
        made = httpx.post(f"{url}/tokens", json={"name": "root", "role": "admin"}, verify=trusted)
        yield Served(url, made.json().get("token", ""), ports[1], process.pid)
    finally:
        process.terminate()
        process.wait(20)


def await_ready(process: subprocess.Popen[bytes], url: str) -> None:
    deadline = time.monotonic() + START_SECONDS
    with httpx.Client(
        timeout=5, verify=False
    ) as client:  # the system's certificates are read for 40 ms each time
        while True:
            try:
                if client.get(url).status_code == 200:
                    return
            except httpx.TransportError:
                assert process.poll() is None
            assert time.monotonic() < deadline
            time.sleep(0.05)
