"""A server that asks to wait is waited for, within bounds, and whoever sits there is told how long."""

import os
import pty
import socket
import subprocess
import threading
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from types import SimpleNamespace

import httpx
import pytest
from cli.serving import IPAM, Served, ipam

from api.client import ApiError, Client, exchange

REFUSED = b'{"error": {"code": "rate_limited", "message": "too many", "request_id": "r"}}'
ANSWERS = [(429, REFUSED), (200, b'{"items": [{"id": "1", "cidr": "10.0.0.0/8"}], "next_cursor": null}')]


class Limited(BaseHTTPRequestHandler):
    def do_GET(self) -> None:
        status, body = ANSWERS.pop(0)
        self.send_response(status)
        self.send_header("retry-after", "1")
        self.end_headers()
        self.wfile.write(body)

    def log_message(self, *_: object) -> None:
        pass


def test_the_seconds_of_a_limit_are_told() -> None:
    with ThreadingHTTPServer(("127.0.0.1", 0), Limited) as server:
        threading.Thread(target=server.serve_forever, daemon=True).start()
        told = ipam(Served(f"http://127.0.0.1:{server.server_port}/api/v1", "t"), "prefixes")
        server.shutdown()
    assert told.stderr == "ipam: waiting 1 s, as the server asks (rate limit, or busy)\n"
    assert "10.0.0.0/8" in told.stdout


@pytest.mark.parametrize(
    ("status", "seconds", "patience", "pauses"),
    [
        (503, 1, None, [1.0, 1.0, 1.0]),
        (503, 21, None, []),
        (429, 30, None, [30.0, 30.0, 30.0]),
        (429, 60, None, [60.0, 60.0, 60.0]),
        (429, 240, None, []),
        (429, 5, 3.0, []),
        (503, 1, 0.5, []),
    ],
)
def test_the_pauses_of_a_call_are_bounded(
    status: int, seconds: int, patience: float | None, pauses: list[float]
) -> None:
    """A server that is away is given up sooner than one that limits the rate."""
    slept: list[float] = []
    answer = httpx.MockTransport(lambda _: httpx.Response(status, headers={"retry-after": str(seconds)}))
    with (
        Client("http://t/api/v1", transport=answer, sleep=slept.append, patience=patience) as client,
        pytest.raises(ApiError),
    ):
        client.request("GET", "/prefixes")
    assert slept == pauses


def test_attempts_end_with_the_time_of_a_call(monkeypatch: pytest.MonkeyPatch) -> None:
    """Each answer of a frozen service takes seconds, which count like the pauses."""
    now, slept = [0.0], list[float]()
    monkeypatch.setattr(exchange, "time", SimpleNamespace(monotonic=lambda: now[0]))

    def slow(_: httpx.Request) -> httpx.Response:
        now[0] += 9.0
        return httpx.Response(503, headers={"retry-after": "0"})

    with (
        Client("http://t/api/v1", transport=httpx.MockTransport(slow), sleep=slept.append) as client,
        pytest.raises(ApiError),
    ):
        client.request("GET", "/prefixes")
    assert slept == [0.0, 0.0]


def test_a_web_page_is_no_answer_of_the_api() -> None:
    """Its status is 200, and no traceback is shown."""
    page = httpx.MockTransport(lambda _: httpx.Response(200, text="<html>"))
    with Client("http://t/api/v1", transport=page) as client:
        for ask in (lambda: client.request("GET", "/prefixes"), lambda: list(client.prefixes.list())):
            with pytest.raises(ApiError, match="t does not answer like an ipam API; check the address"):
                ask()


@pytest.mark.parametrize("body", ["{}", '{"items": [{}], "next_cursor": null}', "[]", "5", ""])
def test_other_json_is_no_answer_of_the_api(body: str) -> None:
    """A command that reads a field of it ends with a message, not with a KeyError."""
    answer = httpx.MockTransport(lambda _: httpx.Response(200, text=body))
    with Client("http://t/api/v1", transport=answer) as client:
        with pytest.raises(ApiError, match="an ipam API; check the address of the API"):
            print([item["id"] for item in client.items("/prefixes")])
        with pytest.raises(ApiError, match="an ipam API; check the address of the API"):
            list(client.prefixes.list())


def test_a_terminal_shows_that_the_server_is_awaited() -> None:
    """Nothing answers: the command would be silent until its timeout."""
    ours, theirs = pty.openpty()
    with socket.create_server(("127.0.0.1", 0)) as silent:
        url = f"http://127.0.0.1:{silent.getsockname()[1]}/api/v1"
        process = subprocess.Popen(
            [*IPAM, "prefixes", "--url", url], stdin=theirs, stdout=theirs, stderr=theirs
        )
        try:
            shown = b""
            while b"waiting" not in shown:
                shown += os.read(ours, 65536)
            assert f"ipam: waiting for {url} to answer" in shown.decode()
        finally:
            process.kill()
            process.wait()
            os.close(theirs)
            os.close(ours)
