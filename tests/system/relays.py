"""Real relay agents: ISC's dhcrelay and dnsmasq, each started in a router's namespace.

A router has `up0` towards the server and an interface `down` towards the clients. Its relay takes what comes there
by broadcast, and what another relay sends to its address there, `facing`, and passes it on to `towards`.
"""

from ipaddress import IPv4Address
from pathlib import Path
from typing import Protocol

from system import peers
from system.namespaces import Namespace, Process


class Relay(Protocol):
    def __call__(
        self, router: Namespace, down: str, facing: IPv4Address, towards: IPv4Address, folder: Path
    ) -> Process: ...


def dhcrelay(
    router: Namespace, down: str, facing: IPv4Address, towards: IPv4Address, folder: Path
) -> Process:
    """Adds option 82 where there is none and picks passing unicast up too, for it reads below IP.

    As the second hop it appends a sub-option field of its own to option 82 (-m append) and leaves giaddr as it is.
    """
    command = [peers.program("dhcrelay"), "-4", "-d", "-a", "-m", "append", "-iu", "up0", "-id", down]
    return router.start(*command, str(towards), log=folder / f"dhcrelay-{router.name}.log")


def dnsmasq(router: Namespace, down: str, facing: IPv4Address, towards: IPv4Address, folder: Path) -> Process:
    """Relays by a socket: no option 82, and unicast that is not for the router passes it by."""
    quiet = ["--keep-in-foreground", "--conf-file=/dev/null", "--port=0", "--log-facility=-", "--user="]
    pid_file = f"--pid-file={folder / router.name}.pid"
    relaying = f"--dhcp-relay={facing},{towards}"
    return router.start(
        peers.program("dnsmasq"),
        *quiet,
        pid_file,
        relaying,
        "--log-dhcp",
        log=folder / f"dnsmasq-{router.name}.log",
    )
