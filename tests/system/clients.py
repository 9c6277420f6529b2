"""Three real DHCP clients, driven: ISC's dhclient, BusyBox's udhcpc and dhcpcd, each in its namespace.

    client = Dhclient(namespace, "c0", folder)
    lease = client.obtain()          # what the client itself says it got
    lease = client.renew()
    client.release()                 # gives the address back and ends

All state of a client lives in `folder` (or in a tmpfs where dhcpcd's paths are fixed), and `obtain` begins
without any: whoever gets the same address again owes it to the server. Each client calls our hook, which
configures the interface as the client's own script would (dhcpcd does it itself) and writes a line for each
event; the drivers read those lines.
"""

import time
from abc import ABC, abstractmethod
from dataclasses import dataclass
from ipaddress import IPv4Address, IPv4Interface
from pathlib import Path

from system import peers
from system.namespaces import Namespace, Process, stop

EVENT_SECONDS = 25.0
BOUND = {"BOUND", "REBOOT", "bound"}
RENEWED = {"RENEW", "REBIND", "renew"}

# dhclient and dhcpcd give a hook the same variables; udhcpc has shorter names, and the event as an argument
READ = """#!/bin/sh
event=${{1:-$reason}}
address=${{ip:-$new_ip_address}} mask=${{subnet:-$new_subnet_mask}} routers=${{router:-$new_routers}}
dns=${{dns:-$new_domain_name_servers}} lease=${{lease:-$new_dhcp_lease_time}}
server=${{serverid:-$new_dhcp_server_identifier}}
"""
CONFIGURE = """case $event in
PREINIT|deconfig)
    {ip} address flush dev "$interface"
    {ip} link set "$interface" up ;;
BOUND|REBOOT|RENEW|REBIND|bound|renew)
    {ip} address replace "$address/$mask" dev "$interface"
    for router in $routers; do {ip} route replace default via "$router" dev "$interface"; break; done ;;
EXPIRE|RELEASE|STOP)
    {ip} address flush dev "$interface" ;;
esac
"""
TELL = """echo "$event|$address|$mask|$routers|$dns|$lease|$server" >>{events}
"""


@dataclass(frozen=True)
class Lease:
    """What a client was given, as its hook heard it."""

    address: IPv4Interface
    routers: tuple[IPv4Address, ...]
    dns: tuple[IPv4Address, ...]
    lease_seconds: int
    server_id: IPv4Address


class Client(ABC):
    """One client program on one interface."""

    program: str
    hook_parts: tuple[str, ...] = (READ, CONFIGURE, TELL)

    def __init__(self, namespace: Namespace, interface: str, folder: Path) -> None:
        self.path = peers.program(self.program)
        self.namespace = namespace
        self.interface = interface
        self.folder = folder
        self.log = folder / f"{self.program}.log"
        self.events = folder / "events"
        self.hook = folder / "hook"
        self.process: Process | None = None
        folder.mkdir(parents=True, exist_ok=True)
        self.hook.write_text("".join(self.hook_parts).format(ip=peers.program("ip"), events=self.events))
        self.hook.chmod(0o755)

    def obtain(self) -> Lease:
        """Start without memory and wait until bound."""
        self._forget()
        seen = self._count()
        self.process = self.namespace.start(*self._command(), log=self.log)
        return self._await(BOUND, seen)

    def renew(self) -> Lease:
        """Wait for the next renewal, asked for where the client can be asked."""
        seen = self._count()
        self._ask_to_renew()
        return self._await(RENEWED, seen)

    def reboot(self) -> Lease:
        """Lose power and come back with what was written down: INIT-REBOOT (RFC 2131 3.2)."""
        assert self.process is not None
        self.process.kill()
        self.process.wait()
        self.namespace.ip("address", "flush", "dev", self.interface)
        seen = self._count()
        self.process = self.namespace.start(*self._command(), log=self.log)
        return self._await({"REBOOT"}, seen)

    def release(self) -> None:
        """Give the address back; the program has ended afterwards."""
        self._ask_to_release()
        assert self.process is not None
        stop(self.process)
        self.namespace.ip("address", "flush", "dev", self.interface)

    @abstractmethod
    def _command(self) -> list[str | Path]: ...

    @abstractmethod
    def _forget(self) -> None: ...

    @abstractmethod
    def _ask_to_renew(self) -> None: ...

    @abstractmethod
    def _ask_to_release(self) -> None: ...

    def _await(self, events: set[str], seen: int) -> Lease:
        """The lease of the first event among `events` after the `seen` first ones."""
        deadline = time.monotonic() + EVENT_SECONDS
        while time.monotonic() < deadline:
            for line in self._lines()[seen:]:
                if line.split("|")[0] in events:
                    return read_lease(line)
            time.sleep(0.05)
        raise AssertionError(f"{self.program} saw none of {events}:\n{self.log.read_text(errors='replace')}")

    def _await_event(self, event: str, seen: int) -> None:
        deadline = time.monotonic() + EVENT_SECONDS
        while not any(line.startswith(f"{event}|") for line in self._lines()[seen:]):
            assert time.monotonic() < deadline, f"{self.program} never said {event}"
            time.sleep(0.05)

    def _count(self) -> int:
        return len(self._lines())

    def _lines(self) -> list[str]:
        """Complete lines only: the hook may be writing."""
        if not self.events.exists():
            return []
        return [line for line in self.events.read_text().splitlines(keepends=True) if line.endswith("\n")]


class Dhclient(Client):
    """ISC dhclient; it cannot be asked to renew, so `renew` waits for its T1: give it a short one."""

    program = "dhclient"

    def _command(self) -> list[str | Path]:
        return [self.path, "-4", "-d", "-v", *self._files(), self.interface]

    def _files(self) -> list[str | Path]:
        config, leases = self.folder / "dhclient.conf", self.folder / "dhclient.leases"
        return ["-cf", config, "-lf", leases, "-pf", self.folder / "dhclient.pid", "-sf", self.hook]

    def _forget(self) -> None:
        (self.folder / "dhclient.leases").write_text("")
        asked = "subnet-mask, routers, domain-name-servers, domain-name, ntp-servers, interface-mtu"
        conf = f"timeout 20;\nretry 2;\ninitial-delay 0;\ninitial-interval 1;\nrequest {asked};\n"
        (self.folder / "dhclient.conf").write_text(conf)

    def _ask_to_renew(self) -> None:
        """Nothing: it renews at T1."""

    def _ask_to_release(self) -> None:
        self.namespace.run(self.path, "-4", "-r", *self._files(), self.interface)


class Udhcpc(Client):
    """BusyBox udhcpc, the client of small devices; it sends its MAC as client identifier."""

    program = "udhcpc"

    def __init__(
        self, namespace: Namespace, interface: str, folder: Path, more: tuple[str, ...] = ()
    ) -> None:
        super().__init__(namespace, interface, folder)
        self.more = more

    def _command(self) -> list[str | Path]:
        where: list[str | Path] = ["-i", self.interface, "-s", self.hook, "-p", self.folder / "udhcpc.pid"]
        return [self.path, "udhcpc", "-f", *where, "-t", "10", "-T", "1", *self.more]

    def _forget(self) -> None:
        """It remembers nothing between runs."""

    def _ask_to_renew(self) -> None:
        self._signal("-USR1")

    def _ask_to_release(self) -> None:
        seen = self._count()
        self._signal("-USR2")
        self._await_event("deconfig", seen)

    def _signal(self, name: str) -> None:
        assert self.process is not None
        self.namespace.run("kill", name, str(self.process.pid))


class Dhcpcd(Client):
    """dhcpcd as Debian sets it up, with a DUID as client identifier; it configures the interface itself."""

    program = "dhcpcd"
    hook_parts = (READ, TELL)

    def __init__(self, namespace: Namespace, interface: str, folder: Path) -> None:
        super().__init__(namespace, interface, folder)
        for parent in ("/run", "/var/lib"):
            namespace.run("sh", "-euc", GRAFT, "graft", parent, "dhcpcd", folder / "stage")

    def _command(self) -> list[str | Path]:
        return [self.path, *self._files(), "-4", "-B", "-d", self.interface]

    def _files(self) -> list[str | Path]:
        return ["-f", self.folder / "dhcpcd.conf", "-c", self.hook]

    def _forget(self) -> None:
        for parent in ("/run", "/var/lib"):
            self.namespace.run("mount", "-n", "-t", "tmpfs", "tmpfs", f"{parent}/dhcpcd")
        asked = "option subnet_mask, routers, domain_name_servers, domain_name, ntp_servers\n"
        (self.folder / "dhcpcd.conf").write_text(f"duid\nnodev\nnoipv6rs\nnoarp\nreboot 1\n{asked}")

    def _ask_to_renew(self) -> None:
        self.namespace.run(self.path, *self._files(), "-4", "-N", self.interface)

    def _ask_to_release(self) -> None:
        self.namespace.run(self.path, *self._files(), "-4", "-k", self.interface)


# Makes folder $1/$2 in this mount namespace alone: in $1's place a tmpfs shows what $1 holds, and $2.
# dhcpcd's paths are compiled in and the machine's folders are not ours; with -n mount notes nothing there.
GRAFT = """
[ ! -d "$1/$2" ] || exit 0
mkdir -p "$3"
mount -n -t tmpfs tmpfs "$3"
for entry in "$1"/* "$1"/.[!.]*; do
    new="$3/${entry##*/}"
    if [ -L "$entry" ]; then cp -P "$entry" "$new"
    elif [ -d "$entry" ]; then mkdir "$new"; mount -n --rbind "$entry" "$new"
    elif [ -e "$entry" ]; then : >"$new"; mount -n --bind "$entry" "$new"
    fi
done
mkdir "$3/$2"
mount -n --move "$3" "$1"
"""

CLIENTS: tuple[type[Client], ...] = (Dhclient, Udhcpc, Dhcpcd)


def read_lease(line: str) -> Lease:
    """A hook's line as a lease; a field that the client did not get fails here."""
    _, address, mask, routers, dns, lease, server = line.strip().split("|")
    return Lease(
        address=IPv4Interface(f"{address}/{mask}"),
        routers=tuple(map(IPv4Address, routers.split())),
        dns=tuple(map(IPv4Address, dns.split())),
        lease_seconds=int(lease),
        server_id=IPv4Address(server),
    )
