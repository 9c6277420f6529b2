"""Which answers of an SMTP server end a mail for good: those about its recipients or its content alone. A server that
says one wrong thing stands for the servers of the world; a real one is in tests/peers/test_mail.py."""

import asyncio
import contextlib
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from email.message import EmailMessage

import pytest

from ipam_core.outbound import mail
from ipam_core.outbound.mail import MailError, MailServer

SECONDS = 20.0
USUAL = {
    "greeting": "220 mail.example.net",
    "EHLO": "250-mail.example.net\r\n250 STARTTLS",
    "DATA": "354 go on",
    "QUIT": "221 bye",
}


@asynccontextmanager
async def server_that_says(word: str, line: str) -> AsyncIterator[MailServer]:
    """It answers one command so (`greeting`: before any; `content`: behind the message), and the others as usual."""
    answers = USUAL | {word: line}

    async def serve(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        async def say(what: str) -> None:
            writer.write(answers.get(what, "250 ok").encode() + b"\r\n")
            await writer.drain()

        with contextlib.suppress(ConnectionError, asyncio.IncompleteReadError):
            await say("greeting")
            while command := (await reader.readline()).decode().split(" ")[0].strip().partition(":")[0]:
                await say(command)
                if command == "DATA" and answers["DATA"].startswith("354"):
                    await reader.readuntil(b"\r\n.\r\n")
                    await say("content")
        writer.close()

    async with await asyncio.start_server(serve, "127.0.0.1", 0) as server:
        security = "starttls" if word == "STARTTLS" else "none"
        port = server.sockets[0].getsockname()[1]
        yield MailServer(host="127.0.0.1", port=port, security=security, sender="ipam@example.net")


def message(server: MailServer) -> EmailMessage:
    return mail.compose(server, "1", ["noc@example.net"], "subject", "text")


async def outcome(word: str, line: str) -> MailError:
    async with server_that_says(word, line) as server:
        with pytest.raises(MailError) as caught:
            await mail.send(server, message(server), ["noc@example.net"], SECONDS)
    return caught.value


@pytest.mark.parametrize(
    ("word", "line", "code"),
    [
        ("greeting", "554 no service", 554),
        ("greeting", "good morning", None),
        ("STARTTLS", "501 no parameters", 501),
        ("MAIL", "530 log in first", 530),
        ("MAIL", "550 no such sender", 550),
        ("MAIL", "250-" + "x" * 20_000, None),
        ("RCPT", "450 busy", 450),
        ("RCPT", "552 full", 552),
        ("RCPT", "530 log in first", 530),
        ("RCPT", "what?", None),
        ("DATA", "250 ok", 250),
        ("DATA", "503 not now", 503),
        ("content", "552 full", 552),
        ("content", "451 later", 451),
        ("content", "??? thanks", None),
    ],
)
async def test_what_may_change_is_tried_again(word: str, line: str, code: int | None) -> None:
    found = await outcome(word, line)
    assert (found.is_final, found.code) == (False, code), str(found)
    assert "-1" not in str(found)


@pytest.mark.parametrize(
    ("word", "line"),
    [
        ("RCPT", "550 no such user"),
        ("RCPT", "553 not allowed"),
        ("content", "550 policy"),
        ("content", "554 refused"),
    ],
)
async def test_a_refusal_of_the_recipients_or_the_content_is_final(word: str, line: str) -> None:
    found = await outcome(word, line)
    assert (found.is_final, found.code) == (True, int(line[:3]))


async def test_a_usual_server_takes_it() -> None:
    async with server_that_says("RCPT", "250 ok") as server:
        sent = await mail.send(server, message(server), ["noc@example.net"], SECONDS)
    assert (sent.response, sent.refused) == ("ok", {})
