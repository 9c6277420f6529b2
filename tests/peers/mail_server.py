"""chasquid of Debian as the SMTP server of a site: port 25, submission by STARTTLS and by TLS, with one login.

It delivers mail of its own domain to files, and refuses recipients that it does not know.
"""

import asyncio
import contextlib
import email
import os
import signal
import socket
import subprocess
import time
from collections.abc import Iterator
from email.message import EmailMessage
from email.policy import default
from pathlib import Path
from typing import NamedTuple, cast

from cli.test_tls import write_pair
from ports import free_port
from system.peers import environment, program

DOMAIN, PASSWORD = "example.net", "p\u00e4ssword of ipam"
SENDER, NOC, DESK = f"ipam@{DOMAIN}", f"noc@{DOMAIN}", f"desk@{DOMAIN}"
START_SECONDS = 30.0
CONFIGURATION = """
hostname: "mail.{domain}"
smtp_address: "127.0.0.1:{plain}"
submission_address: "127.0.0.1:{starttls}"
submission_over_tls_address: "127.0.0.1:{tls}"
mail_delivery_agent_bin: "{folder}/deliver"
mail_delivery_agent_args: "%to%"
data_dir: "{folder}/data"
mail_log_path: "{folder}/mail.log"
"""
DELIVER = """#!/bin/sh
cat >"{folder}/incoming.$$" && mv "{folder}/incoming.$$" "{folder}/mail/$1.$$"
"""


class MailPeer(NamedTuple):
    """A running server. `ca`: what its certificate is checked against."""

    folder: Path
    ca: Path
    plain: int
    starttls: int
    tls: int

    @property
    def password(self) -> Path:
        """The file that contains the password of each login."""
        return self.folder / "password"

    def received(self) -> list[EmailMessage]:
        """Return the delivered mails; of a mail to several recipients each copy."""
        files = sorted((self.folder / "mail").iterdir())
        return [
            cast(EmailMessage, email.message_from_bytes(path.read_bytes(), policy=default)) for path in files
        ]

    async def until(self, count: int, seconds: float = 30.0) -> list[EmailMessage]:
        """Wait for so many mails: the server accepts a mail before it delivers it."""
        async with asyncio.timeout(seconds):
            while len(found := self.received()) < count:  # noqa: ASYNC110 - another program writes the files
                await asyncio.sleep(0.02)
        return found


@contextlib.contextmanager
def chasquid(folder: Path) -> Iterator[MailPeer]:
    """The server, from when its ports answer to its end."""
    peer = configured(folder)
    log = (folder / "chasquid.log").open("wb")
    process = subprocess.Popen(
        command(peer), env=environment(), stderr=log, stdout=log, start_new_session=True
    )
    try:
        for port in (peer.plain, peer.starttls, peer.tls):
            answering(process, port, folder / "chasquid.log")
        yield peer
    finally:
        with contextlib.suppress(ProcessLookupError):
            os.killpg(process.pid, signal.SIGKILL)
        process.wait()
        log.close()


def command(peer: MailPeer) -> list[str | Path]:
    return [program("chasquid"), f"--config_dir={peer.folder}"]


def configured(folder: Path) -> MailPeer:
    """Return a server that is ready to be started."""
    peer = MailPeer(folder, write_pair(folder, "smtp")[0], free_port(), free_port(), free_port())
    certificates = folder / "certs" / "127.0.0.1"
    for each in (certificates, folder / "domains" / DOMAIN, folder / "data", folder / "mail"):
        each.mkdir(parents=True)
    (certificates / "fullchain.pem").write_bytes(peer.ca.read_bytes())
    (certificates / "privkey.pem").write_bytes((folder / "smtp.key").read_bytes())
    text = CONFIGURATION.format(domain=DOMAIN, **peer._asdict())
    (folder / "chasquid.conf").write_text(text)
    (folder / "deliver").write_text(DELIVER.format(folder=folder))
    (folder / "deliver").chmod(0o755)
    for user in (SENDER, NOC, DESK):
        adding = [program("chasquid-util"), f"-C={folder}", "user-add", user, f"--password={PASSWORD}"]
        subprocess.run(adding, check=True, env=environment(), capture_output=True)
    peer.password.write_text(PASSWORD + "\n", "utf-8")
    return peer


def answering(process: "subprocess.Popen[bytes]", port: int, log: Path) -> None:
    deadline = time.monotonic() + START_SECONDS
    while True:
        with contextlib.suppress(OSError), socket.create_connection(("127.0.0.1", port), 1):
            return
        assert process.poll() is None, log.read_text()
        assert time.monotonic() < deadline, log.read_text()
        time.sleep(0.02)
