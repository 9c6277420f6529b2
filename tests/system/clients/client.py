"""What the drivers have in common: a program, its namespace, its hook, and waiting for what it says.

Each program calls our hook, which configures the interface as the program's own script would (dhcpcd does that
itself) and writes a line for each event; the drivers read those lines. systemd-networkd has no hook: its
driver reads its log and its lease file instead.
"""

import time
from abc import ABC, abstractmethod
from pathlib import Path

from system import peers
from system.clients.lease import Lease, read_lease
from system.namespaces import Namespace, Process, stop

EVENT_SECONDS = 25.0
BOUND = {"BOUND", "REBOOT", "bound"}
RENEWED = {"RENEW", "REBIND", "renew"}

# dhclient and dhcpcd give a hook the same variables; udhcpc has shorter names, and the event as an argument.
# Option 121 has a name of its own with each.
READ = """#!/bin/sh
event=${{1:-$reason}}
address=${{ip:-$new_ip_address}} mask=${{subnet:-$new_subnet_mask}} routers=${{router:-$new_routers}}
dns=${{dns:-$new_domain_name_servers}} lease=${{lease:-$new_dhcp_lease_time}}
server=${{serverid:-$new_dhcp_server_identifier}}
domain=${{domain:-$new_domain_name}} search=${{search:-$new_domain_search}}
ntp=${{ntpsrv:-$new_ntp_servers}} mtu=${{mtu:-$new_interface_mtu}} hostname=${{hostname:-$new_host_name}}
routes=${{staticroutes:-${{new_classless_static_routes:-$new_rfc3442_classless_static_routes}}}}
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
FIELDS = (
    "address",
    "mask",
    "routers",
    "dns",
    "lease",
    "server",
    "domain",
    "search",
    "ntp",
    "mtu",
    "hostname",
    "routes",
)
TELL = f"""echo "$event|{"|".join(f"${field}" for field in FIELDS)}" >>{{events}}
"""


class Client(ABC):
    """One client program on one interface; `client_id` is what it shall send as option 61."""

    program: str
    hook_parts: tuple[str, ...] = (READ, CONFIGURE, TELL)

    def __init__(self, namespace: Namespace, interface: str, folder: Path, client_id: str = "") -> None:
        self.path = peers.program(self.program)
        self.namespace = namespace
        self.interface = interface
        self.folder = folder
        self.client_id = client_id
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
        return self._start_and_await(BOUND)

    def renew(self) -> Lease:
        """Wait for the next renewal, asked for where the client can be asked."""
        seen = self._count()
        self._ask_to_renew()
        return self._await(RENEWED, seen)

    def renew_in_vain(self) -> Lease:
        """Renew where the server refuses, and wait until the client has begun again and is bound."""
        seen = self._count()
        self._ask_to_renew()
        return self._await(BOUND, seen)

    def reboot(self) -> Lease:
        """Lose power and come back with what was written down: INIT-REBOOT (RFC 2131 3.2)."""
        self.lose_power()
        return self._start_and_await({"REBOOT"})

    def release(self) -> None:
        """Give the address back; the program has ended afterwards."""
        self._ask_to_release()
        assert self.process is not None
        stop(self.process)
        self.namespace.ip("address", "flush", "dev", self.interface)

    def lose_power(self) -> None:
        """End without a word to the server."""
        assert self.process is not None
        self.process.kill()
        self.process.wait()
        self.namespace.ip("address", "flush", "dev", self.interface)

    @abstractmethod
    def _command(self) -> list[str | Path]: ...

    @abstractmethod
    def _forget(self) -> None: ...

    @abstractmethod
    def _ask_to_renew(self) -> None: ...

    @abstractmethod
    def _ask_to_release(self) -> None: ...

    def _environment(self) -> dict[str, str]:
        return peers.environment()

    def _start_and_await(self, events: set[str]) -> Lease:
        seen = self._count()
        self.process = self.namespace.start(*self._command(), log=self.log, env=self._environment())
        return self._await(events, seen)

    def _await(self, events: set[str], seen: int) -> Lease:
        """The lease of the first event among `events` after the `seen` first ones."""
        deadline = time.monotonic() + EVENT_SECONDS
        while time.monotonic() < deadline:
            for line in self._lines()[seen:]:
                if line.split("|")[0] in events:
                    return self._lease_of(line)
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

    def _lease_of(self, line: str) -> Lease:
        _, *values = line.rstrip("\n").split("|")
        return read_lease(dict(zip(FIELDS, values, strict=True)))
