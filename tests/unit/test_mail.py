"""Mails as octets: what a server that is asked for each peer need not be started for."""

from email import message_from_bytes
from email.policy import SMTP

import pytest
from aiosmtplib.email import flatten_message

from ipam_core.outbound.mail import MailServer, compose

SERVER = MailServer(host="mail.example.net", sender="ipam@example.net")


@pytest.mark.parametrize(
    "subject",
    [
        "Reservation " + "x" * 60 + " was deleted",
        "Critical:" + "x" * 62 + " is full",
        "node-" * 14 + " is d\u00f6wn",
        "The name " + "\u00f6" * 120,
        "Short",
        "",
    ],
)
def test_a_subject_begins_on_the_line_of_its_name(subject: str) -> None:
    """As the client of SMTP writes it; readers get the same text, and no line is longer than 998 octets."""
    octets = flatten_message(compose(SERVER, "1", ["noc@example.net"], subject, "text"))
    (line,) = [each for each in octets.split(b"\r\n") if each.startswith(b"Subject:")]
    assert line.removeprefix(b"Subject:").strip() or not subject
    assert message_from_bytes(octets, policy=SMTP)["Subject"] == subject
    assert max(map(len, octets.split(b"\r\n"))) < 998
