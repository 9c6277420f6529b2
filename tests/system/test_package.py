"""The Debian package: installed, upgraded, removed and purged by dpkg in a copy of this machine that vanishes with the
test, and what it installs works there as its own account.
"""

import json
import os
import re
import shutil
import subprocess
import sys
from pathlib import Path

import pytest
import wheels
from system.conftest import refuse
from system.namespaces import Namespace, Network
from system.peers import PeerMissingError

ROOT = Path(__file__).parents[2]
BUILD_SECONDS = 1800.0
INSTALL_SECONDS = 300.0
CONFIG = "--config /etc/ipam/ipam.toml"
LINK = re.compile(r"\]\(([^)#:\s]+)(?:#[^)]*)?\)")
AS_IPAM = "setpriv --reuid ipam --regid ipam --clear-groups"
INSTALLED = (
    "from importlib.metadata import distributions; import json;"
    " print(json.dumps({each.name.lower(): each.version for each in distributions()}))"
)
UNUSED = {"cython", "faker", "polyfactory", "setuptools", "uv"}
"""Locked, and never used by a server."""
MACHINE = """
set -e
mount -t tmpfs machine {folder}
mkdir {folder}/upper {folder}/work {folder}/root
mount -t overlay machine -o lowerdir=/,upperdir={folder}/upper,workdir={folder}/work {folder}/root
mount --rbind /dev {folder}/root/dev
mount -t proc proc {folder}/root/proc
mount -t tmpfs tmp {folder}/root/tmp
mkdir {folder}/root/tmp/debs
mount --bind {debs} {folder}/root/tmp/debs
"""

pytestmark = [pytest.mark.peers, pytest.mark.peer("namespaces")]


@pytest.fixture(scope="module")
def package(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The one that `make deb` makes, and beside it the same as a later version."""
    own = subprocess.run(
        ["/usr/bin/python3", "-c", "import sys; print(*sys.version_info[:2])"],
        capture_output=True,
        text=True,
        check=False,
    )
    if not shutil.which("dpkg-deb") or own.stdout.split() != [str(part) for part in sys.version_info[:2]]:
        refuse(PeerMissingError("Debian's Python", "it is absent or of another version than ours"))
    folder = tmp_path_factory.mktemp("debs")
    told = os.environ | {"WHEEL": str(wheels.wheel()), "COMPRESSION": "1"}
    subprocess.run([ROOT / ".ci/deb", sys.executable, folder], env=told, check=True, timeout=BUILD_SECONDS)
    (made,) = folder.glob("ipam_*.deb")
    later(made, folder / "later.deb")
    return made


def later(package: Path, path: Path) -> None:
    """The same with a version and a settings file of its own."""
    work = path.with_suffix("")
    subprocess.run(["dpkg-deb", "--raw-extract", package, work], check=True)
    control = work / "DEBIAN/control"
    control.write_text(re.sub(r"^Version: .*$", "Version: 99.0", control.read_text(), flags=re.MULTILINE))
    with (work / "etc/ipam/ipam.toml").open("a") as settings:
        settings.write("# of version 99\n")
    subprocess.run(["dpkg-deb", "-Znone", "--build", work, path], check=True, capture_output=True)
    shutil.rmtree(work)


class Machine:
    """What of dpkg and our commands a copy of this machine sees."""

    def __init__(self, namespace: Namespace, package: Path, folder: Path) -> None:
        self.namespace = namespace
        self.package = package
        self.root = folder / "root"
        namespace.run("sh", "-c", MACHINE.format(folder=folder, debs=package.parent))

    def run(self, command: str) -> str:
        told = ("env", "-i", "PATH=/usr/sbin:/usr/bin:/sbin:/bin", "HOME=/root", "LC_ALL=C.UTF-8")
        inside = ("chroot", self.root, *told, "sh", "-c", f"cd / && {{ {command}; }} 2>&1")
        return self.namespace.run(*inside, within=INSTALL_SECONDS)


@pytest.fixture
def machine(network: Network, package: Path, tmp_path: Path) -> Machine:
    return Machine(network.namespace("machine"), package, tmp_path)


def test_each_link_of_the_installed_documents_leads_somewhere(package: Path, tmp_path: Path) -> None:
    subprocess.run(["dpkg-deb", "--extract", package, tmp_path], check=True)
    folder = tmp_path / "usr/share/doc/ipam"
    for link in (folder / "html", folder / "docs/console"):  # absolute, as they are on the host
        target = tmp_path / str(link.readlink()).removeprefix("/")
        link.unlink()
        link.symlink_to(target)
    documents = [path for path in folder.rglob("*.md") if "html" not in path.parts]
    assert len(documents) > 25
    dead = {
        (document.relative_to(folder).as_posix(), link)
        for document in documents
        for link in LINK.findall(document.read_text())
        if not (document.parent / link).is_file()
    }
    assert dead == set()
    assert (folder / "html/index.html").is_file()
    assert (tmp_path / "usr/share/man/man1/ipam.1.gz").is_file()
    assert (tmp_path / "usr/share/ansible/collections/ansible_collections/ipam/ipam/galaxy.yml").is_file()


def test_the_shell_completes_commands(machine: Machine) -> None:
    machine.run(f"dpkg --install /tmp/debs/{machine.package.name}")
    words = "COMP_WORDS='ipam back' COMP_CWORD=1 _IPAM_COMPLETE=bash_complete ipam"
    assert "plain,backup" in machine.run(f"bash -n /usr/share/bash-completion/completions/ipam && {words}")


def test_it_is_installed_upgraded_removed_and_purged(machine: Machine) -> None:
    said = machine.run(f"dpkg --install /tmp/debs/{machine.package.name}")
    assert "systemctl enable --now ipam-up" in said
    assert "migrate --pre" not in machine.run(f"dpkg --install /tmp/debs/{machine.package.name}")
    assert machine.run("stat -c '%U:%G %a' /var/lib/ipam /etc/ipam/ipam.toml").split("\n")[:2] == [
        "ipam:ipam 750",
        "root:ipam 640",
    ]
    version = machine.package.name.split("_")[1]
    assert machine.run("ipam --version") == f"ipam, version {version}\n"
    assert machine.run(f"{AS_IPAM} ipam {CONFIG} migrate").startswith("applied 0001.plan, ")
    assert machine.run(f"{AS_IPAM} ipam {CONFIG} backup /var/lib/ipam/kept").startswith(
        "/var/lib/ipam/kept: "
    )

    bill = json.loads(machine.run("cat /usr/share/doc/ipam/sbom/ipam-python.cdx.json"))
    described = [bill["metadata"]["component"], *bill["components"]]
    listed = {component["name"].lower(): component["version"] for component in described}
    assert listed == json.loads(machine.run(f"/opt/ipam/bin/python3 -P -c '{INSTALLED}'"))
    assert not UNUSED & listed.keys()
    assert "react-dom" in machine.run("cat /usr/share/doc/ipam/sbom/ipam-console.cdx.json")

    machine.run("echo 'log_level = \"debug\"' >>/etc/ipam/ipam.toml")
    said = machine.run("dpkg --force-confold --install /tmp/debs/later.deb")
    assert "migrate --pre" in said
    assert 'log_level = "debug"' in machine.run("cat /etc/ipam/ipam.toml")
    assert "of version 99" in machine.run("cat /etc/ipam/ipam.toml.dpkg-dist")
    assert machine.run(f"{AS_IPAM} ipam {CONFIG} migrate") == "nothing to apply\n"

    machine.run("dpkg --remove ipam")
    assert (
        machine.run("ls -d /opt/ipam /usr/bin/ipam /lib/systemd/system/ipam* || true").count("No such file")
        == 3
    )
    assert 'log_level = "debug"' in machine.run("cat /etc/ipam/ipam.toml")
    assert "/var/lib/ipam, with database and key, is kept" in machine.run("dpkg --purge ipam")
    assert machine.run("ls /etc/ipam || true").count("No such file") == 1
    assert "database.dump" in machine.run("ls /var/lib/ipam/kept")
