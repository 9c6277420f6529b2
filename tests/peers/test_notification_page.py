"""docs/how-to/notifications.md as it is written, beside an SMTP server of Debian with the address of the page."""

import sys
from pathlib import Path

import pytest
from documents import blocks
from documents.machine import serving
from peers.mail_server import MailPeer, command, configured
from system import peers
from system.namespaces import Network

PAGE = blocks.ROOT / "docs" / "how-to" / "notifications.md"
AWAIT = """
import socket, sys, time
end = time.monotonic() + 30
while True:
    try:
        socket.create_connection(("127.0.0.1", int(sys.argv[1])), 1)
        break
    except OSError:
        if time.monotonic() > end:
            raise
        time.sleep(0.02)
"""

pytestmark = [
    pytest.mark.peers,
    pytest.mark.peer("chasquid"),
    pytest.mark.peer("namespaces"),
]


async def test_the_page_delivers_a_mail(network: Network, database: str, tmp_path: Path) -> None:
    folder = tmp_path / "chasquid"
    folder.mkdir()
    peer: MailPeer = configured(folder)
    made = network.namespace("machine")
    made.start(*map(str, command(peer)), log=folder / "chasquid.log", env=peers.environment())
    made.run(sys.executable, "-c", AWAIT, str(peer.starttls))
    settings = {
        "public_url": "https://ipam.example.net",
        "smtp_host": "127.0.0.1",
        "smtp_port": str(peer.starttls),
        "smtp_ca": str(peer.ca),
        "smtp_user": "ipam@example.net",
        "smtp_password_file": str(peer.password),
        "smtp_from": "ipam@example.net",
    }
    with serving(made, database, tmp_path, **settings) as machine:
        said = machine.follow(blocks.to_run(PAGE.read_text()))
    assert "delivered" in said
    (mail,) = await peer.until(1)
    assert mail["Subject"] == "This is a test of the notification noc."
