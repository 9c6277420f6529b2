"""A connection over which HTTP/1.1 messages are sent one after another (RFC 9112), with bounded answers.

Everything that the server sends counts towards a limit before it is kept: heads, interim answers, chunk sizes and
trailers included. Bodies are never decompressed. The parser is that of httptools, which serves our API too: a worker
posts a thousand messages a second, and a general client costs more than all else that a delivery needs
(benchmarks/README.md: Webhooks). Parsers written in Python also take seconds for a megabyte of one-octet chunks.
"""

import asyncio
import time
from typing import cast

import httptools

SHOWN_OCTETS = 1024
MOST_OCTETS = 65_536  # of an answer, its head counted; the rest is not waited for


class Answer:
    """The answer received so far; its methods `on_...` are called by httptools. Of the body the first `shown` octets
    are kept; at most `most` octets are read in all."""

    def __init__(self, shown: int = SHOWN_OCTETS, most: int = MOST_OCTETS) -> None:
        self.parser = httptools.HttpResponseParser(self)
        self.shown, self.most = shown, most
        self.status = 0  # until the head is there
        self.body = bytearray()
        self.octets = 0
        self.is_whole = False
        self.may_follow = False  # another message, on the same connection

    def read(self, data: bytes) -> None:
        """Raise ConnectionError for what is not HTTP."""
        self.octets += len(data)
        try:
            self.parser.feed_data(data)
        except (httptools.HttpParserError, httptools.HttpParserUpgrade) as error:
            self.may_follow = False
            if not self.is_whole:
                raise ConnectionError(f"the response is not HTTP/1.1: {error}") from None

    def on_message_begin(self) -> None:
        if self.is_whole:
            raise ConnectionError("the server sent more than one response")

    def on_headers_complete(self) -> None:
        self.status = self.parser.get_status_code()

    def on_body(self, data: bytes) -> None:
        if len(self.body) < self.shown:
            self.body += data[: self.shown - len(self.body)]

    def on_message_complete(self) -> None:
        if self.is_interim:
            self.status = 0
        else:
            self.is_whole = True
            self.may_follow = self.parser.should_keep_alive()

    @property
    def beginning(self) -> bytes:
        """First octets of the body."""
        return bytes(self.body)

    @property
    def is_too_long(self) -> bool:
        return self.octets > (self.most if self.status else min(self.most, MOST_OCTETS))

    @property
    def is_interim(self) -> bool:
        """Whether the answer proper is still to come (RFC 9110 section 15.2)."""
        return 100 <= self.status < 200 and self.status != 101


class HttpConnection(asyncio.Protocol):
    """`post` one message after another while it `is_usable`."""

    def __init__(self) -> None:
        self.made = self.used = time.monotonic()
        self.is_usable = False
        self.answer: Answer | None = None
        self.waiting: asyncio.Future[Answer] | None = None

    async def post(self, message: bytes, answer: Answer | None = None) -> Answer:
        """Send head and body as they are and return the answer, cut where it is too long or the connection ends.
        Raises OSError if no answer came."""
        self.is_usable = False
        self.answer, self.waiting = answer or Answer(), asyncio.get_running_loop().create_future()
        self.transport.write(message)
        try:
            answer = await self.waiting
        except BaseException:
            self.transport.abort()
            raise
        finally:
            self.answer = None
        self.used = time.monotonic()
        self.is_usable = answer.may_follow and not self.transport.is_closing()
        if not self.is_usable:
            self.transport.abort()
        return answer

    def close(self) -> None:
        self.is_usable = False
        self.transport.close()

    def connection_made(self, transport: asyncio.BaseTransport) -> None:
        self.transport = cast(asyncio.Transport, transport)
        self.is_usable = True

    def data_received(self, data: bytes) -> None:
        if self.answer is None:  # nothing was asked
            self.close()
            return
        try:
            self.answer.read(data)
        except ConnectionError as error:
            self.end(error)
            return
        if self.answer.is_whole:
            self.end()
        elif self.answer.is_too_long:
            self.end(ConnectionError(f"the response header is longer than {MOST_OCTETS} octets"))

    def connection_lost(self, error: Exception | None) -> None:
        self.is_usable = False
        self.end(error or ConnectionError("the connection closed without a response"))

    def end(self, error: Exception | None = None) -> None:
        """End the answer, as far as it came, if its head is there; else raise the error. After an error nothing may
        follow."""
        if self.waiting is None or self.waiting.done() or self.answer is None:
            return
        if error is None or (self.answer.status and not self.answer.is_interim):
            self.waiting.set_result(self.answer)
        else:
            self.waiting.set_exception(error)
