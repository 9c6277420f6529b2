"""A server that asks to wait is waited for, and whoever sits there is told how long."""

import threading
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer

from cli.serving import Served, ipam

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
