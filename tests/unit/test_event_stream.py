"""The client's end of server-sent events: over real sockets, cut off and refused as a server may do it."""

import json
import threading
from collections.abc import Iterator
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer

import pytest

from api.client import ApiError, Client, ConnectionFailed
from api.client.following import Following


def event(data: object) -> bytes:
    facts = {
        "id": "",
        "created_at": "",
        "updated_at": "",
        "timestamp": "",
        "type": "node.up",
        "tenant_id": None,
    }
    return json.dumps(facts | {"data": {"n": data}}, ensure_ascii=False).encode()


FIRST = b"retry: 20\n\nid: 1\nevent: a\ndata: " + event("\u2028") + b"\n\n: \nid: 2\n\n"
SECOND = b"id: 3\r\nevent: a\r\ndata: " + event(3) + b"\r\n\r\n"
BUSY = {"error": {"code": "unavailable", "message": "full", "request_id": "r"}}


class Stub(ThreadingHTTPServer):
    """Answers each request with the next of `answers`: a status and a body."""

    daemon_threads = True

    def __init__(self, *answers: tuple[int, bytes]) -> None:
        super().__init__(("127.0.0.1", 0), Handler)
        self.answers = iter(answers)
        self.asked: list[tuple[str, str | None]] = []

    @property
    def url(self) -> str:
        return f"http://127.0.0.1:{self.server_port}/api/v1"


class Handler(BaseHTTPRequestHandler):
    server: Stub

    def do_GET(self) -> None:
        self.server.asked.append((self.path, self.headers["last-event-id"]))
        status, body = next(self.server.answers)
        self.send_response(status)
        self.send_header("retry-after", "7")
        self.end_headers()
        self.wfile.write(body)

    def log_message(self, *_: object) -> None:
        pass


@pytest.fixture
def stubs() -> Iterator[list[Stub]]:
    made: list[Stub] = []
    yield made
    for stub in made:
        stub.shutdown()
        stub.server_close()


def begin(stubs: list[Stub], *answers: tuple[int, bytes]) -> Stub:
    stub = Stub(*answers)
    threading.Thread(target=stub.serve_forever, daemon=True).start()
    stubs.append(stub)
    return stub


def test_a_stream_goes_on_behind_its_last_id(stubs: list[Stub]) -> None:
    stub = begin(stubs, (200, FIRST), (503, json.dumps(BUSY).encode()), (200, SECOND))
    slept: list[float] = []
    told: list[str] = []
    with Client(stub.url, "t", sleep=slept.append) as client:
        events = client.follow(type="lease.*", on_break=lambda reason, _seconds: told.append(reason))
        assert [next(events).data, next(events).data] == [{"n": "\u2028"}, {"n": 3}]
    assert [last for _, last in stub.asked] == [None, "2", "2"]
    assert slept == [0.02, 7.0]
    assert told[0] == "the server ended the stream"
    assert "full (503 unavailable" in told[1]


def test_who_saw_no_id_yet_comes_back_to_where_they_began(stubs: list[Stub]) -> None:
    stub = begin(stubs, (200, b"retry: 0\n\n"), (200, SECOND))
    with Client(stub.url, "t", sleep=lambda _: None) as client:
        assert next(client.follow()).data == {"n": 3}
    assert [("since=20" in path) for path, _ in stub.asked] == [False, True]


def test_a_refusal_and_a_server_that_is_not_there_end_it(stubs: list[Stub]) -> None:
    stub = begin(stubs, (401, b'{"error": {"code": "unauthorized", "message": "no", "request_id": "r"}}'))
    with Client(stub.url, "t") as client, pytest.raises(ApiError, match="401 unauthorized"):
        next(client.follow())
    with Client("http://127.0.0.1:1/api/v1", "t") as client, pytest.raises(ConnectionFailed):
        next(client.follow())


def test_comments_and_unknown_fields_mean_nothing() -> None:
    following = Following({})
    following.ask()
    told = b": hello\ncolour: red\ndata: " + event(1) + b"\n\ndata:" + event(2) + b"\nid: 4\n\n\nretry: x\n\n"
    assert [each.data["n"] for each in following.take(told)] == [1, 2]
    assert (following.last_id, following.pause) == ("4", 3.0)
