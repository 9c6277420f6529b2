"""The API as operators meet it: a process that survives its database, ends cleanly, and answers for its
health.
"""

import asyncio
import os
import signal
import socket
import subprocess
import sys
import time
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import contextmanager
from pathlib import Path
from typing import Any, NamedTuple

import httpx
import psycopg
import pytest
from outage.processes import signal_all
from ports import free_port

from ipam_core.db.embedded.programs import OWN_ACCOUNT
from ipam_core.db.embedded.server import EmbeddedPostgres

IPAM = [sys.executable, "-P", "-m", "api.cli"]
START_SECONDS = 60


class Service(NamedTuple):
    base: str
    health: str
    process: subprocess.Popen[bytes]
    database: EmbeddedPostgres
    environment: dict[str, str]

    def ask(self, method: str, path: str, **sent: Any) -> httpx.Response:
        return httpx.request(method, self.base + path, timeout=30, verify=False, **sent)

    def until(self, path: str, status: int) -> httpx.Response:
        """Asks the health address until it answers so."""
        deadline = time.monotonic() + START_SECONDS
        while True:
            try:
                answer = httpx.get(self.health + path, timeout=10, verify=False)
                if answer.status_code == status:
                    return answer
            except httpx.TransportError:
                assert self.process.poll() is None
            assert time.monotonic() < deadline
            time.sleep(0.05)


@pytest.fixture
def service(prepared_dir: Path) -> Iterator[Service]:
    database = EmbeddedPostgres(prepared_dir, OWN_ACCOUNT)
    try:
        with started(database, database.start(), prepared_dir) as running:
            yield running
    finally:
        database.stop()


@contextmanager
def started(database: EmbeddedPostgres, dsn: str, data_dir: Path) -> Iterator[Service]:
    listen, health = f"127.0.0.1:{free_port()}", f"127.0.0.1:{free_port()}"
    environment = dict(os.environ) | {
        "IPAM_DATABASE_URL": dsn,
        "IPAM_DATA_DIR": str(data_dir),
        "IPAM_API_LISTEN": listen,
        "IPAM_HEALTH_LISTEN": health,
        "IPAM_RATE_LIMIT": "0",
    }
    process = subprocess.Popen([*IPAM, "api"], env=environment)
    running = Service(f"http://{listen}/api/v1", f"http://{health}", process, database, environment)
    try:
        running.until("/readyz", 200)
        yield running
    finally:
        process.kill()
        process.wait()


OUTAGE_SECONDS = 10.0


def unavailable(answer: httpx.Response) -> None:
    assert answer.status_code == 503, answer.text
    assert answer.elapsed.total_seconds() < 10, "from the request's sending, not from when its thread began"
    error = answer.json()["error"]
    assert error["code"] == "unavailable"
    assert error["request_id"] == answer.headers["x-request-id"]
    assert "postgres" not in answer.text.lower()
    assert "/run/" not in answer.text


def test_it_outlives_its_database(service: Service) -> None:
    """Away for ten seconds, then frozen: 503 in the envelope within ten seconds, and recovery by itself."""
    body = {"cidr": "10.0.0.0/8"}
    made = service.ask("POST", "/prefixes", json=body).json()
    service.database.stop()
    unavailable(service.ask("GET", "/prefixes"))
    away = time.monotonic()
    while time.monotonic() - away < OUTAGE_SECONDS:
        unavailable(service.ask("POST", "/prefixes", json=body))
        time.sleep(0.2)
    assert service.until("/readyz", 503).json()["ready"] is False
    assert httpx.get(service.health + "/healthz", verify=False).status_code == 200
    service.database.start()
    service.until("/readyz", 200)
    assert service.ask("GET", f"/prefixes/{made['id']}").json() == made

    processes = service.database.processes()
    signal_all(processes, signal.SIGSTOP)
    try:
        with ThreadPoolExecutor(24) as callers:  # more than there are sessions, reads and writes
            methods = ["GET", "POST"] * 12
            for answer in callers.map(lambda method: service.ask(method, "/prefixes", json=body), methods):
                unavailable(answer)
        service.until("/readyz", 503)
    finally:
        signal_all(processes, signal.SIGCONT)
    service.until("/readyz", 200)
    assert [each["id"] for each in service.ask("GET", "/prefixes").json()["items"]] == [made["id"]]


def nodes(service: Service) -> list[tuple[str, str, str]]:
    return [
        (node["name"], node["role"], node["state"]) for node in service.ask("GET", "/nodes").json()["items"]
    ]


def rows(service: Service) -> list[Any]:
    with psycopg.connect(service.environment["IPAM_DATABASE_URL"]) as session:
        return session.execute("select role, state from node").fetchall()


async def test_it_answers_what_it_has_in_hand_before_it_ends(service: Service) -> None:
    """While it serves it is among the nodes, where an API server cannot be drained; then it has stopped."""
    name = f"{socket.gethostname()}/{service.base.split('/')[2]}"
    deadline = time.monotonic() + START_SECONDS
    while nodes(service) != [(name, "api", "ready")]:
        assert time.monotonic() < deadline, nodes(service)
        await asyncio.sleep(0.1)
    (node,) = service.ask("GET", "/nodes").json()["items"]
    refused = service.ask("POST", f"/nodes/{node['id']}/drain")
    assert (refused.status_code, refused.json()["error"]["details"]["role"]) == (409, "api")
    assert "stop the process instead" in refused.text
    async with httpx.AsyncClient(base_url=service.base, timeout=30) as client:
        asked = [
            asyncio.create_task(client.post("/prefixes", json={"cidr": f"10.{n}.0.0/16"})) for n in range(40)
        ]
        await asyncio.sleep(0.02)
        service.process.send_signal(signal.SIGTERM)
        answers = await asyncio.gather(*asked, return_exceptions=True)
    assert await asyncio.to_thread(service.process.wait, 10) == 0
    answered = [answer for answer in answers if isinstance(answer, httpx.Response)]
    assert {answer.status_code for answer in answered} <= {201}
    assert not [answer for answer in answers if isinstance(answer, httpx.ReadTimeout)]
    assert rows(service) == [("api", "stopped")]


def test_health_and_metrics_are_free_of_limits_and_tokens(service: Service) -> None:
    service.ask("GET", "/prefixes")
    service.ask("PUT", "/prefixes")
    page = httpx.get(service.health + "/metrics", verify=False).text
    assert 'ipam_api_answers_total{method="GET",status="200"} 1.0' in page
    assert 'ipam_api_answers_total{method="PUT",status="405"} 1.0' in page


def test_a_token_made_on_the_host_is_the_way_back(service: Service) -> None:
    first = service.ask("POST", "/tokens", json={"name": "lost", "role": "admin"})
    assert first.status_code == 201
    command = [*IPAM, "token", "create", "--name", "back", "--role", "admin", "--allow", "127.0.0.0/8"]
    made = subprocess.run(command, env=service.environment, capture_output=True, check=True, text=True)
    headers = {"authorization": f"Bearer {made.stdout.strip()}"}
    own = service.ask("GET", "/tokens/self", headers=headers).json()
    assert (own["name"], own["role"], own["allowed_cidrs"]) == ("back", "admin", ["127.0.0.0/8"])
    assert service.ask("DELETE", f"/tokens/{first.json()['id']}", headers=headers).status_code == 204
    command += ["--tenant", "nobody"]
    wrong = subprocess.run(command, env=service.environment, capture_output=True, check=False, text=True)
    assert (wrong.returncode, wrong.stderr.strip()) == (1, "ipam: There is no tenant nobody.")


def test_a_token_needs_a_database_that_is_there(service: Service) -> None:
    """A wrong one is told in a line."""
    wrong = service.environment | {"IPAM_DATABASE_URL": "postgresql://ipam:secret@127.0.0.1:1/ipam"}
    command = [*IPAM, "token", "create", "--name", "root", "--role", "admin"]
    refused = subprocess.run(command, env=wrong, capture_output=True, check=False, text=True)
    assert refused.returncode == 1
    assert refused.stderr.startswith(
        "ipam: the database is not available: nothing accepts connections at 127.0.0.1:1: "
    )
    assert refused.stderr.count("\n") == 1


def test_the_first_token_after_make_run_needs_no_setting(
    service: Service, prepared_dir: Path, tmp_path: Path
) -> None:
    """As docs/reference/api.md has it: the embedded server is found in ./data; elsewhere the answer names it."""
    plain = {name: value for name, value in service.environment.items() if not name.startswith("IPAM_")}
    command = [*IPAM, "token", "create", "--name", "root", "--role", "admin"]

    def run(folder: Path) -> subprocess.CompletedProcess[str]:
        return subprocess.run(command, env=plain, cwd=folder, capture_output=True, text=True, check=False)

    made = run(prepared_dir.parent)
    assert made.returncode == 0, made.stderr
    own = service.ask("GET", "/tokens/self", headers={"authorization": f"Bearer {made.stdout.strip()}"})
    assert own.json()["name"] == "root"
    elsewhere = run(tmp_path)
    assert elsewhere.returncode == 2
    assert "If the server uses another folder, set IPAM_DATA_DIR" in elsewhere.stderr


def test_broken_http_is_refused_without_harm(service: Service) -> None:
    host, port = service.base.removeprefix("http://").removesuffix("/api/v1").split(":")
    for sent in (
        b"GET\r\n\r\n",
        b"\x16\x03\x01\x00",
        b"POST /api/v1/prefixes HTTP/1.1\r\ncontent-length: x\r\n\r\n",
    ):
        with socket.create_connection((host, int(port)), timeout=5) as connection:
            connection.sendall(sent)
            assert b" 400 " in connection.recv(200)
    assert service.ask("GET", "/prefixes").status_code == 200
