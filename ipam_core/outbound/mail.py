"""Mail through the SMTP server of the settings (RFC 5321, submission RFC 6409).

The server is the operator's, so the guard does not judge its address. Recipients are checked: a notification whose
recipients were written by a token of a tenant reaches only the domains of `smtp_tenant_domains`.
"""

import asyncio
import re
import socket
import ssl
from collections.abc import Sequence
from datetime import UTC, datetime
from email.headerregistry import Address, HeaderRegistry, UniqueUnstructuredHeader
from email.message import EmailMessage
from email.policy import SMTP, Policy
from email.utils import format_datetime
from functools import lru_cache
from pathlib import Path
from typing import NamedTuple

import aiosmtplib
import msgspec

from ipam_core.errors import SettingsError

PORTS = {"starttls": 587, "tls": 465, "none": 25}
LONGEST_SUBJECT = 200
FINAL = frozenset(range(550, 600)) - {552}
"""Replies to RCPT and DATA that another attempt would get again. The others are about the connection, the login or the
order of commands, or about room (552; RFC 5321 section 4.5.3.1.10)."""


class MailServer(msgspec.Struct, frozen=True):
    """`host`: None: mail is not set up. `security`: starttls, tls or none. `domains`: where tenants may write to."""

    host: str | None = None
    port: int = 0
    security: str = "starttls"
    verify: bool = True
    ca: Path | None = None
    user: str | None = None
    password_file: Path | None = None
    sender: str = ""
    domains: tuple[str, ...] = ()

    @property
    def sender_domain(self) -> str:
        return self.sender.rpartition("@")[2] or socket.gethostname()

    def refusal_of(self, address: str, *, of_tenant: bool) -> str:
        """Return why nobody may write there on a tenant's behalf; empty if it is permitted."""
        domain = address.rpartition("@")[2].lower()
        if not of_tenant or domain in self.domains:
            return ""
        return f"tenants may not send mail to {domain} (the setting smtp_tenant_domains lists what they may)"

    def password(self) -> str | None:
        """Read anew for each connection, so that a changed file needs no restart. Raises SettingsError."""
        if self.password_file is None:
            return None
        try:
            return self.password_file.read_text("utf-8").strip()
        except (OSError, UnicodeError) as error:
            reason = getattr(error, "strerror", None) or "it is not UTF-8"
            raise SettingsError(
                "smtp_password_file", f"{self.password_file} cannot be read: {reason}"
            ) from None


@lru_cache(maxsize=1)
def context(server: MailServer) -> ssl.SSLContext | None:
    """Return what the server's certificate is checked against. Raises SettingsError for a file without certificates."""
    if server.security == "none":
        return None
    made = ssl.create_default_context()
    if server.ca is not None:
        try:
            made.load_verify_locations(server.ca)
        except OSError as error:  # ssl.SSLError is one
            reason = f"{server.ca} does not contain certificates: {error.strerror}"
            raise SettingsError("smtp_ca", reason) from None
    if not server.verify:
        made.check_hostname, made.verify_mode = False, ssl.CERT_NONE
    return made


class Sent(NamedTuple):
    """Answer of the server at the end; `refused`: recipients that it did not accept, with its codes."""

    response: str
    refused: dict[str, int]


class MailError(Exception):
    """`code`: SMTP reply code; None: there was no reply that could be read. `reply`: text of the server, not for
    tenants. `is_final`: whether the server will never accept this message (RFC 5321 section 4.2.1)."""

    def __init__(
        self, said: str, code: int | None = None, reply: str = "", *, is_final: bool = False
    ) -> None:
        super().__init__(said)
        self.code, self.reply, self.is_final = code, reply, is_final


class Subject(UniqueUnstructuredHeader):
    """A subject whose first line has a word. Python ends that line behind the colon where the words do not fit."""

    def fold(self, *, policy: Policy) -> str:
        whole: str = super().fold(policy=policy)  # type: ignore[misc]  # of the class that the registry mixes in
        # Before an encoded word Python writes the space twice.
        text = whole.replace(f" {policy.linesep} =?", f"{policy.linesep} =?")
        name, colon, rest = text.partition(f":{policy.linesep} ")
        if not colon or name.lower() != "subject":
            return text
        line, end, more = rest.partition(policy.linesep)
        word, _, others = line.partition(" ")
        return f"{name}: {word}{end}" + (f" {others}{end}" if others else "") + more


HEADERS = HeaderRegistry()
HEADERS.map_to_type("subject", Subject)  # type: ignore[arg-type]  # a class that the registry mixes in, too
POLICY = SMTP.clone(header_factory=HEADERS)


def compose(
    server: MailServer, delivery: str, recipients: Sequence[str], subject: str, text: str
) -> EmailMessage:
    """Return a message as plain text. Its Message-ID is the delivery's, so a second copy after a lost answer is known
    as one; Auto-Submitted keeps vacation responders silent (RFC 3834)."""
    message = EmailMessage(policy=POLICY)
    message["From"] = Address(display_name="ipam", addr_spec=server.sender)
    message["To"] = [Address(addr_spec=each) for each in recipients]
    message["Subject"] = one_line(subject)[:LONGEST_SUBJECT]
    message["Date"] = format_datetime(datetime.now(UTC))
    message["Message-ID"] = f"<{delivery}@{server.sender_domain}>"
    message["Auto-Submitted"] = "auto-generated"
    message.set_content(text, charset="utf-8")
    return message


def one_line(text: str) -> str:
    return re.sub(r"[\x00-\x1f\x7f\u2028\u2029\x85]+", " ", text)


async def send(server: MailServer, message: EmailMessage, recipients: Sequence[str], seconds: float) -> Sent:
    """Raise MailError; SettingsError where a file cannot be read."""
    if server.host is None:
        raise MailError("no SMTP server is configured: set smtp_host and smtp_from for the workers")
    try:
        async with asyncio.timeout(seconds):
            refused, response = await aiosmtplib.send(
                message,
                sender=server.sender,
                recipients=list(recipients),
                hostname=server.host,
                port=server.port or PORTS[server.security],
                username=server.user,
                password=server.password(),
                use_tls=server.security == "tls",
                start_tls=server.security == "starttls",
                tls_context=context(server),
                local_hostname=socket.gethostname(),
                timeout=seconds,
            )
    except TimeoutError:
        raise MailError(f"{server.host} did not answer within {seconds:g} s") from None
    except aiosmtplib.SMTPRecipientsRefused as error:
        raise refused_by_all(error) from None
    except aiosmtplib.SMTPAuthenticationError as error:
        raise MailError(f"the SMTP server refused the login ({error.code})", None, error.message) from None
    except aiosmtplib.SMTPResponseException as error:
        raise answered(error) from None
    except (aiosmtplib.SMTPException, OSError, ValueError) as error:
        raise MailError(f"{server.host}: {one_line(str(error) or type(error).__name__)[:300]}") from None
    return Sent(response, {address: reply.code for address, reply in refused.items()})


def refused_by_all(error: aiosmtplib.SMTPRecipientsRefused) -> MailError:
    """Return the error of a message that may be sent to nobody; final if no recipient's reply leaves hope."""
    first = min(error.recipients, key=lambda each: (each.code in FINAL, each.code))
    said = f"the SMTP server refused all recipients ({first.code})"
    return MailError(said, readable(first.code), first.message, is_final=first.code in FINAL)


def answered(error: aiosmtplib.SMTPResponseException) -> MailError:
    """Return the error of another reply; final if it is about the message itself."""
    code = readable(error.code)
    said = f"the SMTP server answered {code}" if code else "the SMTP server sent no valid reply"
    is_final = isinstance(error, aiosmtplib.SMTPDataError) and code in FINAL
    return MailError(said, code, error.message, is_final=is_final)


def readable(code: int) -> int | None:
    """Return the code of a reply; None for one that is none (RFC 5321 section 4.2)."""
    return code if 200 <= code < 600 else None
