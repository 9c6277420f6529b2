"""A Kerberos realm on loopback ports: MIT's KDC, and a BIND whose zones take updates of some of its principals only.

Python's gssapi is Debian's, out of .peers: its extensions run under any CPython of the same version.
"""

import contextlib
import importlib
import os
import signal
import subprocess
import sys
import time
from collections.abc import Iterator, Mapping
from pathlib import Path
from types import ModuleType
from typing import Any, NamedTuple

import dns.message
import dns.query
from peers.servers import (
    BIND_OPTIONS,
    KEY_CLAUSE,
    KEY_NAME,
    ZONE_FILE,
    ZONES,
    Peer,
    begin,
    is_alive,
)
from ports import free_port
from system.conftest import refuse
from system.peers import PeerMissingError, environment, program

REALM = "BIND.EXAMPLE"
SERVICE = "DNS/localhost"  # a name that every machine resolves
IPAM, SHORT, STRANGER, TYPED = "DHCP/ipam", "DHCP/short", "DHCP/stranger", "typed"
TICKET_SECONDS = 3
PASSWORD = "P4ssw0rd-of-the-realm"
START_SECONDS = 20.0
KRB5_CONF = """[libdefaults]
  default_realm = {realm}
  dns_lookup_kdc = false
  dns_lookup_realm = false
[realms]
  {realm} = {{
    kdc = {kdc}
  }}
"""
KDC_CONF = """[kdcdefaults]
  kdc_listen = 127.0.0.1:{port}
  kdc_tcp_listen = 127.0.0.1:{port}
[realms]
  {realm} = {{
    database_name = {folder}/principals
    key_stash_file = {folder}/stash
    supported_enctypes = aes256-cts-hmac-sha1-96:normal
  }}
[dbmodules]
  db_module_dir = {modules}
"""
PRINCIPALS = f"""addprinc -randkey {SERVICE}
addprinc -randkey {IPAM}
addprinc -randkey -maxlife "{TICKET_SECONDS} seconds" {SHORT}
addprinc -randkey {STRANGER}
addprinc -pw {PASSWORD} {TYPED}
ktadd -k {{folder}}/dns.keytab {SERVICE}
ktadd -k {{folder}}/ipam.keytab {IPAM} {SHORT} {STRANGER}
"""


class Realm(NamedTuple):
    """Where everything of it stands."""

    folder: Path
    port: int  # of BIND

    @property
    def peer(self) -> Peer:
        return Peer("named", self.port)

    @property
    def krb5_conf(self) -> Path:
        return self.folder / "krb5.conf"

    @property
    def keytab(self) -> str:
        return str(self.folder / "ipam.keytab")

    def fields(self, **more: Any) -> dict[str, Any]:
        """Of a DNS server of the API."""
        told = {"adapter": "ad_gsstsig", "address": "localhost", "port": self.port, "realm": REALM}
        return {**told, "principal": IPAM, "keytab": self.keytab, **more}


def write_krb5(path: Path, realm: str, kdc: str) -> None:
    path.write_text(KRB5_CONF.format(realm=realm, kdc=kdc))


def gssapi_path(folder: Path) -> Path:
    """What other processes of ours must have on Python's path for gssapi. Without it the test ends here."""
    with contextlib.suppress(ImportError):
        return packages_of(importlib.import_module("gssapi"))
    packages = program("gssapi").parent
    for name in ("gssapi", "decorator.py"):
        (folder / name).symlink_to(packages / name)
    sys.path.append(str(folder))
    try:
        return packages_of(importlib.import_module("gssapi"))
    except ImportError as error:
        sys.path.remove(str(folder))
        refuse(PeerMissingError("gssapi", str(error)))


def packages_of(module: ModuleType) -> Path:
    return Path(str(module.__file__)).parents[1]


@contextlib.contextmanager
def realm(folder: Path) -> Iterator[Realm]:
    """KDC and BIND, until both answer to their end."""
    port = free_port()
    write_krb5(folder / "krb5.conf", REALM, f"127.0.0.1:{port}")
    modules = next(program("krb5kdc").parents[2].glob("usr/lib/*/krb5/plugins/kdb"))
    (folder / "kdc.conf").write_text(KDC_CONF.format(port=port, realm=REALM, folder=folder, modules=modules))
    variables = variables_of(folder)
    make = [program("kdb5_util"), "create", "-s", "-P", "master", "-r", REALM]
    subprocess.run(make, env=variables, check=True, capture_output=True, timeout=START_SECONDS)
    fill = [program("kadmin.local"), "-r", REALM]
    said = PRINCIPALS.format(folder=folder).encode()
    subprocess.run(fill, env=variables, input=said, check=True, capture_output=True, timeout=START_SECONDS)
    with serving([str(program("krb5kdc")), "-n"], folder, "krb5kdc", variables), named(folder) as dns_port:
        yield Realm(folder, dns_port)


def variables_of(folder: Path) -> dict[str, str]:
    found = {"KRB5_CONFIG": f"{folder}/krb5.conf", "KRB5_KDC_PROFILE": f"{folder}/kdc.conf"}
    return environment() | found


@contextlib.contextmanager
def serving(
    command: list[str], folder: Path, name: str, variables: Mapping[str, str]
) -> Iterator["subprocess.Popen[bytes]"]:
    process = begin(command, folder, folder / f"{name}.log", variables)
    try:
        yield process
    finally:
        with contextlib.suppress(ProcessLookupError):
            os.killpg(process.pid, signal.SIGKILL)
        process.wait()


@contextlib.contextmanager
def named(folder: Path, port: int = 0, name: str = "named", keytab: str = "dns.keytab") -> Iterator[int]:
    """BIND with the realm's key, another or none, and the shared one."""
    port = port or free_port()
    zones = ""
    grants = f"grant {KEY_NAME} zonesub ANY; "
    for each in (IPAM, SHORT, TYPED):
        grants += f'grant "{each}@{REALM}" zonesub ANY; '
    for number, zone in enumerate(ZONES):
        path = folder / f"{name}-{number}"
        path.write_text(ZONE_FILE.format(zone=zone))
        zones += f'zone "{zone}" {{ type primary; file "{path}"; update-policy {{ {grants} }}; }};\n'
    more = f'tkey-gssapi-keytab "{folder}/{keytab}"; ' if keytab else ""
    options = BIND_OPTIONS.format(folder=folder, port=port, more=f"{more}allow-transfer {{ any; }};")
    options = options.replace("listen-on-v6 { none; }", f"listen-on-v6 port {port} {{ ::1; }}")
    config = folder / f"{name}.conf"
    config.write_text(KEY_CLAUSE + options + zones)
    command = [str(program("named")), "-g", "-n", "1", "-c", str(config)]
    with serving(command, folder, name, variables_of(folder)) as process:
        await_answers(process, folder / f"{name}.log", port)
        yield port


def await_answers(process: "subprocess.Popen[bytes]", log: Path, port: int) -> None:
    query = dns.message.make_query(ZONES[0], "SOA")
    deadline = time.monotonic() + START_SECONDS
    while is_alive(process, log):
        with contextlib.suppress(Exception):
            if dns.query.udp(query, "127.0.0.1", port=port, timeout=1).answer:
                return
        assert time.monotonic() < deadline, log.read_text()
        time.sleep(0.05)
