"""The answer to a request that took too long."""

import asyncio
from typing import Any

import pytest

from api.http.auth import Authenticator
from api.http.gate import Gate, Message, Receive, Scope, Send
from ipam_core.settings import Settings


async def test_an_answer_at_the_deadline_comes_before_the_end_of_the_request(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    """What the request waits for comes in the same turn of the loop as its deadline: its task runs, and ends, before
    that of the answer. A server then answers 500 by itself."""

    async def routes(scope: Scope, receive: Receive, send: Send) -> None:
        exchange = scope["state"]["abort"].__self__
        row: asyncio.Future[None] = asyncio.get_running_loop().create_future()

        def come_and_give_up() -> None:
            row.set_result(None)
            exchange.give_up()

        asyncio.get_running_loop().call_soon(come_and_give_up)
        await row

    async def identify(*_: Any) -> None: ...

    async def receive() -> Message:
        return {"type": "http.request", "body": b""}

    async def send(message: Message) -> None:
        sent.append(message)

    sent: list[Message] = []
    settings = Settings()
    authenticator = Authenticator(None, settings)  # type: ignore[arg-type]  # no database: whoever asks is let in
    monkeypatch.setattr(authenticator, "identify", identify)
    gate = Gate(routes, authenticator, settings, {}, {})
    await gate(
        {
            "type": "http",
            "method": "GET",
            "path": "/api/v1/subnets",
            "headers": [(b"host", b"ipam.example")],
            "client": ("192.0.2.1", 4000),
        },
        receive,
        send,
    )
    assert [message.get("status") for message in sent] == [503, None]
