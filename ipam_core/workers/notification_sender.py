"""Notifications, sent: as deliveries to webhooks are, to a chat by HTTP or to people by mail."""

import time
from email.message import EmailMessage
from functools import partial

import asyncpg
import msgspec

from ipam_core.db import queries
from ipam_core.errors import SettingsError
from ipam_core.outbound import mail
from ipam_core.outbound.guard import Guard, Reach
from ipam_core.services.entity.entity import Row
from ipam_core.services.notifications import NOTIFICATIONS
from ipam_core.workers import notification_formats as formats
from ipam_core.workers.notification_texts import message_of
from ipam_core.workers.webhook_endpoint import Endpoint, EndpointCache, Target, told
from ipam_core.workers.webhook_outcomes import Outcome, Receivers
from ipam_core.workers.webhook_sender import Sender, Timing


class ChatEndpoint(Endpoint):
    """A chat, or an ntfy server."""

    def __init__(self, guard: Guard, reach: Reach, claim: Row) -> None:
        super().__init__(guard, reach, claim["url"], ())
        self.kind, self.topic, self.priority = claim["kind"], claim["topic"], claim["priority"]

    def message(self, row: Row) -> bytes:
        body = msgspec.json.encode(self.body(row))
        return f"{self.head}content-length: {len(body)}\r\n\r\n".encode("ascii") + body

    def body(self, row: Row) -> formats.Body:
        said = message_of(row["payload"], self.guard.public_url)
        if self.kind == "ntfy":
            return formats.ntfy(said, self.topic, self.priority)
        return formats.CHATS[self.kind](said)


class MailEndpoint:
    """Recipients of mail; each message has a connection of its own, because messages are few."""

    def __init__(self, guard: Guard, claim: Row) -> None:
        self.guard, self.server = guard, guard.mail
        self.recipients = list(claim["recipients"])
        self.of_tenant, self.by_tenant = claim["of_tenant"], claim["by_tenant"]

    async def attempt(self, row: Row, seconds: float) -> Outcome:
        """Return one mail; whatever becomes of it."""
        for address in self.recipients:
            if said := self.server.refusal_of(address, of_tenant=self.by_tenant):
                return Outcome(False, error=said, refused=True)
        began = time.monotonic()
        taken = partial(elapsed, began)
        try:
            sent = await mail.send(self.server, self.composed(row), self.recipients, seconds)
        except mail.MailError as error:
            reply = None if self.of_tenant else error.reply or None
            return Outcome(
                False, error.code, taken(), reply, str(error), error.code is None, refused=error.is_final
            )
        except SettingsError as error:
            return Outcome(False, error=str(error), silent=True)
        except Exception as error:  # noqa: BLE001 - one message must not stop the others
            return Outcome(False, error=told(error))
        refused = ", ".join(f"{address} ({code})" for address, code in sent.refused.items())
        response = f"not accepted: {refused}" if refused else sent.response
        return Outcome(True, 250, taken(), None if self.of_tenant else response)

    def composed(self, row: Row) -> EmailMessage:
        said = message_of(row["payload"], self.guard.public_url)
        text = formats.in_lines(said) + "\n"
        return mail.compose(self.server, str(row["id"]), self.recipients, formats.heading(said), text)

    def close(self) -> None:
        """Close nothing: no connection is open between two messages."""


def elapsed(began: float) -> int:
    """Return the milliseconds since then."""
    return int((time.monotonic() - began) * 1000)


class Targets(EndpointCache):
    """Targets of notifications."""

    columns = ("kind", "url", "topic", "priority", "recipients", "of_tenant", "by_tenant")

    def __init__(self, guard: Guard) -> None:
        super().__init__()
        self.guard = guard

    def make(self, claim: Row) -> Target:
        if claim["kind"] == "mail":
            return MailEndpoint(self.guard, claim)
        return ChatEndpoint(self.guard, Reach(claim["tenant_no"], of_tenant=claim["of_tenant"]), claim)


OF_NOTIFICATIONS = Receivers(queries.load("notification_worker"), NOTIFICATIONS)


class NotificationSender(Sender):
    """Sender of notifications."""

    def __init__(self, pool: asyncpg.Pool, guard: Guard | None = None, timing: Timing | None = None) -> None:
        super().__init__(pool, OF_NOTIFICATIONS, Targets(guard or Guard()), timing)
