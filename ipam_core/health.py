"""Health over HTTP: a server of three or four fixed paths, and the question put to another one.

It stands beside the service that it reports on, so it must answer when that one is busy: it reads one
request a connection, at most 8 KiB within five seconds, answers, and closes.
"""

import asyncio
import http.client
from collections.abc import Awaitable, Callable
from http import HTTPStatus
from typing import NamedTuple

from ipam_core.settings import Endpoint

READ_SECONDS = 5.0
ASK_SECONDS = 2.0


class Answer(NamedTuple):
    status: HTTPStatus
    body: str
    content_type: str = "application/json"


Pages = dict[str, Callable[[], Awaitable[Answer]]]


async def serve(endpoint: Endpoint, pages: Pages) -> asyncio.Server:
    """Answer GET and HEAD of the paths in `pages`."""

    async def converse(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        try:
            async with asyncio.timeout(READ_SECONDS):
                head = await reader.readuntil(b"\r\n\r\n")
            writer.write(await respond(head, pages))
            await writer.drain()
        except (TimeoutError, asyncio.IncompleteReadError, asyncio.LimitOverrunError, ConnectionError):
            pass  # a client that does not ask properly gets no answer
        finally:
            writer.close()

    return await asyncio.start_server(converse, endpoint.host, endpoint.port, limit=8192)


async def respond(head: bytes, pages: Pages) -> bytes:
    method, _, rest = head.decode("latin-1").partition(" ")
    page = pages.get(rest.split(" ", 1)[0].split("?", 1)[0])
    if method not in ("GET", "HEAD"):
        answer = Answer(HTTPStatus.METHOD_NOT_ALLOWED, "")
    elif page is None:
        answer = Answer(HTTPStatus.NOT_FOUND, "")
    else:
        answer = await page()
    return encode(answer, with_body=method != "HEAD")


def encode(answer: Answer, with_body: bool) -> bytes:
    body = answer.body.encode()
    head = (
        f"HTTP/1.1 {answer.status.value} {answer.status.phrase}\r\n"
        f"Content-Type: {answer.content_type}\r\n"
        f"Content-Length: {len(body)}\r\n"
        "Connection: close\r\n\r\n"
    )
    return head.encode() + (body if with_body else b"")


async def ask(endpoint: Endpoint, path: str) -> tuple[int, str] | None:
    """Status and body of a page elsewhere; None when nobody answers."""
    return await asyncio.to_thread(fetch, endpoint, path)


def fetch(endpoint: Endpoint, path: str) -> tuple[int, str] | None:
    connection = http.client.HTTPConnection(endpoint.host, endpoint.port, timeout=ASK_SECONDS)
    try:
        connection.request("GET", path)
        response = connection.getresponse()
        return response.status, response.read().decode("utf-8", "replace")
    except (OSError, http.client.HTTPException):
        return None
    finally:
        connection.close()
