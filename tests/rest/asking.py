"""A request straight to the application, as its server makes one: what a client does for each, which is as much work
again, is left out. For tests that ask thousands of times, and for those that measure."""

import asyncio
from typing import Any

BASE_PATH = "/api/v1"
PIECE = 65536


class Asked:
    """One request, which is `app(asked.scope, asked.receive, asked.send)`, and what was answered."""

    def __init__(self, method: str, path: str, body: bytes = b"", query: str = "", **headers: str) -> None:
        fields = {
            "host": "127.0.0.1",
            "content-type": "application/json",
            "content-length": str(len(body)),
        } | headers
        self.scope: dict[str, Any] = {
            "type": "http",
            "asgi": {"version": "3.0"},
            "http_version": "1.1",
            "method": method,
            "scheme": "http",
            "path": BASE_PATH + path,
            "raw_path": (BASE_PATH + path).encode(),
            "query_string": query.encode(),
            "root_path": "",
            "headers": [(name.encode(), value.encode()) for name, value in fields.items()],
            "client": ("127.0.0.1", 4000),
            "server": ("127.0.0.1", 8080),
        }
        self.pieces = [body[at : at + PIECE] for at in range(0, len(body), PIECE)] or [b""]
        self.done = asyncio.Event()
        self.status = 0
        self.content = b""

    async def receive(self) -> dict[str, Any]:
        if self.pieces:
            return {"type": "http.request", "body": self.pieces.pop(0), "more_body": bool(self.pieces)}
        await self.done.wait()
        return {"type": "http.disconnect"}

    async def send(self, message: Any) -> None:
        if message["type"] == "http.response.start":
            self.status = message["status"]
            return
        self.content += message.get("body", b"")
        if not message.get("more_body"):
            self.done.set()


async def ask(app: Any, method: str, path: str, body: bytes = b"", query: str = "", **headers: str) -> Asked:
    """The request and its answer."""
    asked = Asked(method, path, body, query, **headers)
    await app(asked.scope, asked.receive, asked.send)
    return asked
