"""A domain controller of Samba in a namespace: its own DNS, secure updates only.

Samba has its paths compiled in, so that its packages are laid over /usr of the namespace's own mounts. This process
enters the namespace's network: sockets, and threads that it starts there, are in it until it comes back.
"""

import contextlib
import json
import time
from collections.abc import Iterator
from pathlib import Path
from typing import Any, NamedTuple

import dns.message
import dns.query
from peers.kerberos import write_krb5
from peers.servers import Peer
from system.conftest import refuse
from system.namespaces import Namespace, entered
from system.peers import SEARCH_PATH, PeerMissingError, program

REALM, DOMAIN, ZONE, REVERSE = "LAB.EXAMPLE", "LAB", "lab.example", "20.10.in-addr.arpa"
ADDRESS = "10.77.0.10"
PRINCIPAL, PASSWORD = "svc-dhcp", "Adm1nistrator-of-the-lab"
OTHER = "svc-other"
START_SECONDS = 180.0  # a quarter of a minute of a machine that has nothing else to do
OVERLAY = """set -e
mount -t overlay -o lowerdir={root}/usr:/usr overlay /usr
mount -t overlay -o lowerdir={root}/etc:/etc overlay /etc
mount -t tmpfs tmpfs /run
mount --bind {folder}/hosts /etc/hosts
mount --bind {folder}/resolv.conf /etc/resolv.conf
"""
TOOLS = """
import json, sys
from samba.netcmd.main import samba_tool
for each in json.loads(sys.argv[1]):
    if samba_tool(*each):
        sys.exit(f"samba-tool {each}")
"""
ENVIRONMENT = {"PATH": SEARCH_PATH, "LC_ALL": "C"}


class Controller(NamedTuple):
    namespace: Namespace
    folder: Path

    @property
    def peer(self) -> Peer:
        return Peer("samba", 53)

    @property
    def keytab(self) -> str:
        return str(self.folder / "svc.keytab")

    @property
    def krb5_conf(self) -> Path:
        return self.folder / "krb5.conf"

    def fields(self, **more: Any) -> dict[str, Any]:
        """Of a DNS server of the API."""
        told = {"adapter": "ad_gsstsig", "address": "localhost", "principal": f"{PRINCIPAL}@{REALM}"}
        return {**told, "keytab": self.keytab, **more}

    def tool(self, *commands: tuple[str, ...]) -> None:
        """Commands of samba-tool, in one process: it takes a second to load."""
        told = json.dumps([[*each, "-s", f"{self.folder}/domain/etc/smb.conf"] for each in commands])
        run = self.namespace.run
        run("/usr/bin/python3", "-c", TOOLS, told, env=ENVIRONMENT, within=START_SECONDS)


def provisioned(namespace: Namespace, folder: Path) -> Controller:
    """Running, with an account and its keytab, a forward and a reverse zone."""
    made = Controller(namespace, folder)
    lay_over(namespace, folder)
    write_krb5(made.krb5_conf, REALM, "127.0.0.1")
    provision(made)
    configure(folder / "domain/etc/smb.conf")
    made.tool(
        ("user", "create", PRINCIPAL, "--random-password"),
        ("user", "create", OTHER, "--random-password"),
        ("group", "addmembers", "DnsAdmins", PRINCIPAL),
        ("spn", "add", "DNS/localhost", "DC1$"),  # a name that every machine resolves
        ("domain", "exportkeytab", made.keytab),
    )
    command = ["samba", "-s", f"{folder}/domain/etc/smb.conf", "-i", "-M", "single", "-d1", "--debug-stdout"]
    namespace.start(*command, log=folder / "samba.log", env=ENVIRONMENT)
    with inside(namespace):
        await_answers(folder / "samba.log")
    made.tool(("dns", "zonecreate", f"dc1.{ZONE}", REVERSE, f"-UAdministrator%{PASSWORD}"))
    return made


def lay_over(namespace: Namespace, folder: Path) -> None:
    root = program("samba").parents[2].resolve()
    (folder / "hosts").write_text(f"127.0.0.1 localhost\n{ADDRESS} dc1.{ZONE} dc1\n")
    (folder / "resolv.conf").write_text("nameserver 127.0.0.1\n")
    namespace.run("sh", "-c", OVERLAY.format(root=root, folder=folder), env=ENVIRONMENT)
    namespace.address("lo", f"{ADDRESS}/32")


def provision(made: Controller) -> None:
    made.namespace.run(
        "samba-tool",
        "domain",
        "provision",
        f"--realm={REALM}",
        f"--domain={DOMAIN}",
        "--server-role=dc",
        "--dns-backend=SAMBA_INTERNAL",
        f"--adminpass={PASSWORD}",
        "--host-name=dc1",
        f"--host-ip={ADDRESS}",
        f"--targetdir={made.folder}/domain",
        "--option=interfaces=lo",
        "--option=bind interfaces only=yes",
        f"--option=posix:eadb={made.folder}/attributes.tdb",  # memory has no attributes of users
        env=ENVIRONMENT,
        within=START_SECONDS,
    )


def configure(path: Path) -> None:
    """Those services alone that updates need: it is there the sooner."""
    lines = [line for line in path.read_text().splitlines() if "dns forwarder" not in line]
    place = lines.index("[global]") + 1
    path.write_text("\n".join([*lines[:place], "server services = rpc, ldap, kdc, dns", *lines[place:], ""]))


def await_answers(log: Path) -> None:
    query = dns.message.make_query(ZONE, "SOA")
    deadline = time.monotonic() + START_SECONDS
    while True:
        with contextlib.suppress(Exception):
            if dns.query.tcp(query, "127.0.0.1", timeout=1).answer:
                return
        assert time.monotonic() < deadline, log.read_text(errors="replace")
        time.sleep(0.1)


@contextlib.contextmanager
def inside(namespace: Namespace) -> Iterator[None]:
    """This thread in the network of the namespace. Where it may not go there the test ends here."""
    with contextlib.ExitStack() as leaving:
        try:
            leaving.enter_context(entered(namespace))
        except PeerMissingError as error:
            refuse(error)
        yield
