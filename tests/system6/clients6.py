"""DHCPv6 clients of Debian: a program each, what it is told, and how it is asked to give back what it has.

All ask for an address (IA_NA) and a prefix (IA_PD) on the interface c0, unless they are told to ask for one of them
alone, and none configures anything: what the server gave is seen in its database.
"""

from __future__ import annotations

import time
from abc import ABC, abstractmethod
from pathlib import Path

from system import peers
from system.clients.dhcpcd import GRAFT
from system.clients.networkd import ETC, MOUNT
from system.namespaces import Namespace, Process, stop

GONE_SECONDS = 10.0
SAID = 400  # characters
IA_NA, IA_PD = 3, 25
BOTH = (IA_NA, IA_PD)


class Client6(ABC):
    """One client program in its namespace, on the interface c0."""

    program: str
    releases = True  # whether it gives back what it has when it ends

    def __init__(self, namespace: Namespace, folder: Path, asks: tuple[int, ...] = BOTH) -> None:
        self.path = peers.program(self.program)
        self.namespace = namespace
        self.folder = folder
        self.asks = asks
        self.log = folder / f"{self.program}.log"
        self.process: Process | None = None
        folder.mkdir(parents=True, exist_ok=True)
        self.prepare()
        self.configure()

    def start(self) -> None:
        self.process = self.namespace.start(
            *self.command(), log=self.log, cwd=self.folder, env=peers.environment() | self.told()
        )

    def release(self) -> None:
        """Give all back; the program has ended afterwards."""
        assert self.process is not None
        self.ask_to_release()
        deadline = time.monotonic() + GONE_SECONDS
        while self.process.poll() is None and time.monotonic() < deadline:
            time.sleep(0.05)
        stop(self.process)

    def start_again(self, asks: tuple[int, ...]) -> None:
        """With what it had, as soon as it has written that down; it gives nothing back."""
        deadline = time.monotonic() + GONE_SECONDS
        while not self.has_kept():
            assert time.monotonic() < deadline, f"{self.program} never kept its leases"
            time.sleep(0.05)
        self.lose_power()
        self.asks = asks
        self.configure()
        self.start()

    def lose_power(self) -> None:
        assert self.process is not None
        self.process.kill()
        stop(self.process)

    def has_kept(self) -> bool:
        """Whether what it has is in its files; a client without such files has nothing to keep."""
        return True

    def said_last(self) -> str:
        """Return the end of its log in one line, for the message of a failed test."""
        return " / ".join(self.log.read_text(errors="replace").splitlines())[-SAID:]

    @abstractmethod
    def prepare(self) -> None:
        """Write its files, once."""

    def configure(self) -> None:  # noqa: B027 - most have one configuration
        """Write what depends on what it asks for."""

    def told(self) -> dict[str, str]:
        return {}

    @abstractmethod
    def command(self) -> list[str | Path]: ...

    @abstractmethod
    def ask_to_release(self) -> None: ...


class Dhclient(Client6):
    """ISC dhclient."""

    program = "dhclient"

    def prepare(self) -> None:
        (self.folder / "hook").write_text("#!/bin/sh\nexit 0\n")
        (self.folder / "hook").chmod(0o755)
        (self.folder / "conf").write_text("also request dhcp6.name-servers, dhcp6.domain-search;\n")
        (self.folder / "leases").write_text("")

    def has_kept(self) -> bool:
        kept = (self.folder / "leases").read_text()
        return all({IA_NA: "iaaddr", IA_PD: "iaprefix"}[kind] in kept for kind in self.asks)

    def files(self) -> list[str | Path]:
        names = {"-cf": "conf", "-lf": "leases", "-pf": "pid", "-sf": "hook"}
        return [part for flag, name in names.items() for part in (flag, self.folder / name)]

    def command(self) -> list[str | Path]:
        asked = [{IA_NA: "-N", IA_PD: "-P"}[kind] for kind in self.asks]
        return [self.path, "-6", *asked, "-d", "-v", *self.files(), "c0"]

    def ask_to_release(self) -> None:
        self.namespace.run(self.path, "-6", "-N", "-P", "-r", *self.files(), "c0")


class Dhcpcd(Client6):
    """dhcpcd as Debian sets it up, without router solicitations."""

    program = "dhcpcd"
    MORE: tuple[str, ...] = ()

    def prepare(self) -> None:
        (self.folder / "hook").write_text("#!/bin/sh\nexit 0\n")
        (self.folder / "hook").chmod(0o755)
        for parent in ("/run", "/var/lib"):
            self.namespace.run("sh", "-euc", GRAFT, "graft", parent, "dhcpcd", self.folder / "stage")
            self.namespace.run("mount", "-n", "-t", "tmpfs", "tmpfs", f"{parent}/dhcpcd")

    def configure(self) -> None:
        asked = [{IA_NA: "  ia_na 1", IA_PD: "  ia_pd 2 -"}[kind] for kind in self.asks]
        conf = [
            "duid",
            "nodev",
            "nodelay",
            "noipv6rs",
            "ipv6only",
            *self.MORE,
            "noalias",
            "interface c0",
            *asked,
            "",
        ]
        (self.folder / "conf").write_text("\n".join(conf))

    def has_kept(self) -> bool:
        return "writing lease" in self.log.read_text(errors="replace")

    def files(self) -> list[str | Path]:
        return ["-f", self.folder / "conf", "-c", self.folder / "hook"]

    def command(self) -> list[str | Path]:
        return [self.path, *self.files(), "-6", "-B", "-d", "c0"]

    def ask_to_release(self) -> None:
        self.namespace.run(self.path, *self.files(), "-6", "-k", "c0")


class Networkd(Client6):
    """systemd-networkd without a bus; it asks without being told to by a router. Debian's ends without a Release."""

    program = "networkd"
    releases = False
    NETWORK = """[Match]
Name=c0
[Network]
DHCP=ipv6
IPv6AcceptRA=no
LinkLocalAddressing=ipv6
KeepConfiguration=no
DHCPPrefixDelegation=no
[DHCPv6]
WithoutRA=solicit
UseAddress={address}
UseDelegatedPrefix={prefix}
"""

    def prepare(self) -> None:
        for made in ("run/systemd/netif", "etc/systemd/network"):
            (self.folder / made).mkdir(parents=True, exist_ok=True)
        for name, text in ETC.items():
            (self.folder / "etc" / name).write_text(text)
        self.namespace.run("sh", "-euc", MOUNT, "mount", self.folder)

    def configure(self) -> None:
        yes = {True: "yes", False: "no"}
        told = {"address": yes[IA_NA in self.asks], "prefix": yes[IA_PD in self.asks]}
        network = self.folder / "etc/systemd/network/here.network"
        network.write_text(self.NETWORK.format(**told))

    def told(self) -> dict[str, str]:
        return {"SYSTEMD_LOG_LEVEL": "debug", "SYSTEMD_LOG_TARGET": "console"}

    def command(self) -> list[str | Path]:
        return [self.path]

    def ask_to_release(self) -> None:
        assert self.process is not None
        self.process.terminate()


class Dibbler(Client6):
    """dibbler-client; its folders are compiled in, so it sees ours there."""

    program = "dibbler"

    def prepare(self) -> None:
        for parent in ("/etc", "/var/lib", "/var/log"):
            self.namespace.run("sh", "-euc", GRAFT, "graft", parent, "dibbler", self.folder / "stage")
            self.namespace.run("mount", "-n", "-t", "tmpfs", "tmpfs", f"{parent}/dibbler")
        conf = 'log-level 8\nscript "/bin/true"\niface "c0" {\n  ia\n  pd\n  option dns-server\n}\n'
        written = self.folder / "client.conf"
        written.write_text(conf)
        self.namespace.run("cp", written, "/etc/dibbler/client.conf")

    def command(self) -> list[str | Path]:
        return [self.path, "run"]

    def ask_to_release(self) -> None:
        """It releases when it is interrupted."""
        assert self.process is not None
        self.process.terminate()


class Dhcp6c(Client6):
    """The WIDE client."""

    program = "dhcp6c"

    def prepare(self) -> None:
        self.namespace.run("sh", "-euc", GRAFT, "graft", "/var/lib", "dhcpv6", self.folder / "stage")
        conf = (
            "interface c0 { send ia-na 1; send ia-pd 2; request domain-name-servers; };\n"
            "id-assoc na 1 { };\nid-assoc pd 2 { };\n"
        )
        (self.folder / "conf").write_text(conf)

    def command(self) -> list[str | Path]:
        files = ["-c", self.folder / "conf", "-p", self.folder / "pid", "-k", self.folder / "key"]
        return [self.path, "-f", "-d", *files, "c0"]

    def ask_to_release(self) -> None:
        """It releases when it is stopped."""
        assert self.process is not None
        self.process.terminate()


CLIENTS = (Dhclient, Dhcpcd, Networkd, Dibbler, Dhcp6c)
