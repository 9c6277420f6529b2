"""The Debian programs that play the other side, as tests/system/fetch_peers.sh left them under .peers/.

`program("dhclient")` is its path; `environment()` is what its process needs around it. A peer that could not
be had raises `PeerMissingError` with the reason that the script wrote down; the fixtures turn that into a
skip, and with CI=true into a failure.
"""

import os
import shutil
from pathlib import Path

PEERS = Path(__file__).resolve().parents[2] / ".peers"
PROGRAMS = {
    "dhclient": "sbin/dhclient",
    "udhcpc": "bin/busybox",
    "dhcpcd": "usr/sbin/dhcpcd",
    "networkd": "lib/systemd/systemd-networkd",
    "dibbler": "usr/sbin/dibbler-client",
    "dhcp6c": "usr/sbin/dhcp6c",
    "dhcrelay": "usr/sbin/dhcrelay",
    "dhcpd": "usr/sbin/dhcpd",
    "dnsmasq": "usr/sbin/dnsmasq",
    "kea": "usr/sbin/kea-dhcp4",
    "kea6": "usr/sbin/kea-dhcp6",
    "perfdhcp": "usr/sbin/perfdhcp",
    "faketime": "usr/bin/faketime",
    "named": "usr/sbin/named",
    "dig": "usr/bin/dig",
    "pdns": "usr/sbin/pdns_server",
    "pdnsutil": "usr/bin/pdnsutil",
    "nsd": "usr/sbin/nsd",
    "knotd": "usr/sbin/knotd",
    "kdig": "usr/bin/kdig",
    "named-checkzone": "usr/bin/named-checkzone",
    "nsd-checkzone": "usr/sbin/nsd-checkzone",
    "kzonecheck": "usr/bin/kzonecheck",
    "dnsperf": "usr/bin/dnsperf",
    "krb5kdc": "usr/sbin/krb5kdc",
    "kdb5_util": "usr/sbin/kdb5_util",
    "kadmin.local": "usr/sbin/kadmin.local",
    "gssapi": "usr/lib/python3/dist-packages/gssapi",
    "samba": "../ad/usr/sbin/samba",
    "chromium": "../browser/usr/lib/chromium/chromium-headless-shell",
    "etcd": "usr/bin/etcd",
    "patroni": "../patroni/bin/patroni",
    "kubernetes-validate": "../deploy/bin/kubernetes-validate",
    "check-jsonschema": "../deploy/bin/check-jsonschema",
    "buildah": "../image/usr/bin/buildah",
    "promtool": "usr/bin/promtool",
    "nginx": "usr/sbin/nginx",
    "chasquid": "usr/bin/chasquid",
    "chasquid-util": "usr/bin/chasquid-util",
    "systemd-analyze": "usr/bin/systemd-analyze",
    "ip": "bin/ip",
    "postgres": "usr/lib/postgresql/15/bin/postgres",
}
SEARCH_PATH = os.pathsep.join(["/usr/sbin", "/usr/bin", "/sbin", "/bin"])


class PeerMissingError(Exception):
    """A program or kernel feature that a test needs is not here."""

    def __init__(self, name: str, why: str) -> None:
        super().__init__(f"{name} ({why})")


def program(name: str) -> Path:
    """The path of a peer; `ip`, systemd-analyze and PostgreSQL may be the machine's own."""
    if name in ("ip", "systemd-analyze") and (own := shutil.which(name, path=SEARCH_PATH)):
        return Path(own)
    if name == "postgres" and (installed := Path("/", PROGRAMS[name])).exists():
        return installed
    why = missing().get(name)
    path = PEERS / "root" / PROGRAMS[name]
    if why or not path.exists():
        raise PeerMissingError(name, why or "not fetched: run tests/system/fetch_peers.sh")
    return path


def missing() -> dict[str, str]:
    """What the last fetch could not have: name to reason."""
    lists = [listed for listed in sorted(PEERS.glob("missing*")) if listed.exists()]
    lines = [line for listed in lists for line in listed.read_text().splitlines()]
    return dict(line.split("\t", 1) for line in lines)


def environment() -> dict[str, str]:
    """Variables for a peer's process; nothing of ours leaks into it."""
    listed = PEERS / "library_path"
    library_path = listed.read_text().strip() if listed.exists() else ""
    return {"PATH": SEARCH_PATH, "LD_LIBRARY_PATH": library_path, "LC_ALL": "C"}
