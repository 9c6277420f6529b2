"""A link laboratory: the server's interface leads to a switch with a wire for each of several clients, and changes.

The server is told to serve s0, br0, s0.5 and mv0; which of them exists and leads to the clients is what a test changes.
The interface keeps its hardware address, as a card that was taken out and put back does.
"""

import sys
import time
from collections.abc import Iterable
from pathlib import Path

from system.namespaces import Namespace, Network, Process, stop
from system.readiness import readiness
from system.server import DhcpServer

TAGGER = Path(__file__).with_name("tagger.py")
NAMES = ("s0", "br0", "s0.5", "mv0")
VLAN = 5
CARD = "02:00:00:00:0c:01"
WAIT_SECONDS = 10.0


class Lab:
    """`addresses` are those of whatever interface is served, as CIDRs."""

    def __init__(self, network: Network, folder: Path, count: int, addresses: tuple[str, ...]) -> None:
        self.host, self.switch = network.namespace("server"), network.namespace("switch")
        self.clients = tuple(network.namespace(f"client{number}") for number in range(count))
        self.folder = folder
        self.addresses = addresses
        self.tagging: list[Process] = []
        for number, client in enumerate(self.clients):
            network.join(self.switch, f"p{number}", client, "c0")
        self.switch.bridge("sw0", *(f"p{number}" for number in range(count)))

    def plug(self, addresses: Iterable[str] = ()) -> None:
        """Put s0 in, where there was none, and connect it to the switch."""
        wire = ["type", "veth", "peer", "name", "t0", "netns", str(self.switch.holder)]
        self.host.ip("link", "add", "s0", "address", CARD, *wire)
        self.switch.ip("link", "set", "t0", "up", "master", "sw0")
        self.host.ip("link", "set", "s0", "up")
        self.give("s0", addresses or self.addresses)

    def unplug(self) -> None:
        self.host.ip("link", "delete", "s0")

    def give(self, name: str, addresses: Iterable[str]) -> None:
        for address in addresses:
            self.host.ip("address", "add", address, "dev", name, *(["nodad"] if ":" in address else []))

    def bridge(self) -> None:
        """Move s0 into br0, which gets its addresses."""
        self.host.ip("address", "flush", "dev", "s0")
        self.host.bridge("br0", "s0")
        self.give("br0", self.addresses)

    def unbridge(self) -> None:
        self.host.ip("link", "delete", "br0")
        self.give("s0", self.addresses)

    def tag(self) -> None:
        """Make s0 a trunk that carries the clients' network as a VLAN, whose interface is s0.5."""
        self.host.ip("address", "flush", "dev", "s0")
        self.switch.ip("link", "set", "t0", "nomaster")
        for space, trunk in ((self.host, "s0"), (self.switch, "t0")):
            self.tagging.append(self.vlan(space, trunk))
            space.ip("link", "set", f"{trunk}.{VLAN}", "up")
        self.host.ip("link", "set", f"s0.{VLAN}", "address", CARD)
        self.switch.ip("link", "set", f"t0.{VLAN}", "master", "sw0")
        self.give(f"s0.{VLAN}", self.addresses)

    def vlan(self, space: Namespace, trunk: str) -> Process:
        name = f"{trunk}.{VLAN}"
        made = space.start(sys.executable, TAGGER, trunk, name, str(VLAN), log=self.folder / "tagger.log")
        deadline = time.monotonic() + WAIT_SECONDS
        while name not in space.ip("-brief", "link"):
            assert time.monotonic() < deadline, (self.folder / "tagger.log").read_text()
            time.sleep(0.05)
        return made

    def untag(self) -> None:
        while self.tagging:
            stop(self.tagging.pop())
        self.switch.ip("link", "set", "t0", "master", "sw0")
        self.give("s0", self.addresses)

    def macvlan(self) -> None:
        """Give the addresses to an interface of its own hardware address on s0, as containers have."""
        self.host.ip("address", "flush", "dev", "s0")
        self.host.ip("link", "add", "link", "s0", "name", "mv0", "up", "type", "macvlan", "mode", "bridge")
        self.give("mv0", self.addresses)

    def toggle_ipv6(self) -> None:
        for off in (1, 0):
            self.host.run("sh", "-c", f"echo {off} > /proc/sys/net/ipv6/conf/s0/disable_ipv6")
            time.sleep(0.3)
        self.give("s0", self.addresses)

    def await_served(self, server: DhcpServer, name: str) -> None:
        """That interface, and none of the others."""
        deadline = time.monotonic() + WAIT_SECONDS
        missing = [each for each in NAMES if each != name]
        while missing != (told := degraded(readiness(server)["warnings"])):
            assert time.monotonic() < deadline, f"not served: {told}"
            time.sleep(0.05)


def degraded(warnings: Iterable[str]) -> list[str]:
    """The interfaces that are named as such."""
    return [words[2] for words in map(str.split, warnings) if words[:2] == ["degraded:", "interface"]]
