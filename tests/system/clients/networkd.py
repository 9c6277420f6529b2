"""systemd-networkd, without a system bus and without udev, as it runs in a container.

It gets a /run and an /etc of its own, folders of ours that only its mount namespace sees there. The account
under which it wants to run is root in that /etc: not as root we are nobody else in our user namespace. With
/sys read-only it does not wait for udev to announce the interface. No bus socket is in its /run: it watches for
one and works. What happens it says in its log at level debug, what it was given in a file for each interface.
"""

import re
import time
from pathlib import Path

from system import peers
from system.clients.client import EVENT_SECONDS, Client
from system.clients.lease import Lease, read_lease
from system.namespaces import Namespace, stop

ETC = {
    "passwd": "root:x:0:0::/:/bin/sh\nsystemd-network:x:0:0::/:/bin/sh\n",
    "group": "root:x:0:\n",
    "nsswitch.conf": "passwd: files\ngroup: files\nhosts: files\n",
    "machine-id": "5f1c7e0b9d3a4c62a8e1d24b6f907c35\n",
}
NETWORK = """[Match]
Name={interface}
[Network]
DHCP=ipv4
IPv6AcceptRA=no
LinkLocalAddressing=no
KeepConfiguration={keep}
[DHCPv4]
UseMTU=yes
UseDomains=yes
UseNTP=yes
{named}
"""
MOUNT = """
mount -n --bind "$1/run" /run
mount -n --bind "$1/etc" /etc
mount -n -t sysfs -o ro sysfs /sys
"""
# What it asked for last tells what an ACK ends.
ANSWERED = {"requesting": "BOUND", "init-reboot": "REBOOT", "renewing": "RENEW", "rebinding": "REBIND"}
SAID = re.compile(r"DHCPv4 client: (REQUEST \((?P<asked>[a-z-]+)\)|ACK|NAK)")
FIELDS = {
    "address": "ADDRESS",
    "mask": "NETMASK",
    "routers": "ROUTER",
    "dns": "DNS",
    "lease": "LIFETIME",
    "server": "SERVER_ADDRESS",
    "domain": "DOMAINNAME",
    "search": "DOMAIN_SEARCH_LIST",
    "ntp": "NTP",
    "mtu": "MTU",
    "hostname": "HOSTNAME",
    "routes": "CLASSLESS_ROUTES",
}


class Networkd(Client):
    """It cannot be asked to renew without a bus, so `renew` waits for its T1. `client_id` mac, duid or duid-only."""

    program = "networkd"

    def __init__(self, namespace: Namespace, interface: str, folder: Path, client_id: str = "") -> None:
        super().__init__(namespace, interface, folder, client_id)
        self.leases = folder / "run/systemd/netif/leases"
        for made in ("run/systemd/netif", "etc/systemd/network"):
            (folder / made).mkdir(parents=True, exist_ok=True)
        for name, text in ETC.items():
            (folder / "etc" / name).write_text(text)
        namespace.run("sh", "-euc", MOUNT, "mount", folder)

    def _command(self) -> list[str | Path]:
        return [self.path]

    def _environment(self) -> dict[str, str]:
        return {**peers.environment(), "SYSTEMD_LOG_LEVEL": "debug", "SYSTEMD_LOG_TARGET": "console"}

    def _forget(self) -> None:
        self._write_network(keep="no")

    def _write_network(self, keep: str) -> None:
        named = f"ClientIdentifier={self.client_id}" if self.client_id else ""
        network = NETWORK.format(interface=self.interface, keep=keep, named=named)
        (self.folder / "etc/systemd/network/here.network").write_text(network)

    def _ask_to_renew(self) -> None:
        """It renews at T1; what it wrote before is put away, so that the next file is of that renewal."""
        self._put_away()

    def _ask_to_release(self) -> None:
        """It releases when it is stopped."""
        assert self.process is not None
        stop(self.process)

    def lose_power(self) -> None:
        """Its memory is the address on the interface, where it is told to keep it; it then releases no more."""
        assert self.process is not None
        self._await_address()
        self.process.kill()
        self.process.wait()
        self._write_network(keep="dhcp")
        self._put_away()

    def _await_address(self) -> None:
        """On a busy machine its file may be there first."""
        deadline = time.monotonic() + EVENT_SECONDS
        while "inet " not in self.namespace.ip("-4", "address", "show", "dev", self.interface):
            assert time.monotonic() < deadline, "networkd put no address on its interface"
            time.sleep(0.05)

    def _put_away(self) -> None:
        for written in self.leases.glob("*"):
            written.unlink()

    def _lines(self) -> list[str]:
        return events(self.log.read_text(errors="replace")) if self.log.exists() else []

    def _lease_of(self, line: str) -> Lease:
        """From its file, which it writes about when the address comes to the interface."""
        deadline = time.monotonic() + EVENT_SECONDS
        while not (written := self._written()):
            assert time.monotonic() < deadline, f"networkd wrote no lease after {line}"
            time.sleep(0.05)
        said = dict(row.split("=", 1) for row in written.splitlines() if "=" in row)
        values = {name: said.get(key, "").replace(",", " ") for name, key in FIELDS.items()}
        return read_lease(values)

    def _written(self) -> str:
        files = list(self.leases.glob("[0-9]*"))
        return files[0].read_text() if files else ""


def events(log: str) -> list[str]:
    """An event for each answer in a log: NAK, or what the acknowledged request was for."""
    found, asked = [], ""
    for said in SAID.finditer(log):
        if said["asked"]:
            asked = said["asked"]
        elif said[1] == "NAK":
            found.append("NAK")
        else:
            found.append(ANSWERED[asked])
    return found
