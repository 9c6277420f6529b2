"""The Debian package: installed, upgraded, removed and purged by dpkg in a copy of this machine that vanishes with the
test, and what it installs works there as its own account. A downgrade is refused.
"""

import json
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
INSTALL_SECONDS = 300.0
CONFIG = "--config /etc/ipam/ipam.toml"
LINK = re.compile(r"\]\(([^)#:\s]+)(?:#[^)]*)?\)")
AS_IPAM = "setpriv --reuid ipam --regid ipam --clear-groups"
WAIT = "echo $! >/tmp/pid; until grep -q '^ipam is ready' /tmp/up; do kill -0 $! || exit 1; sleep 0.1; done"
READY = f"{AS_IPAM} ipam {CONFIG} up >/tmp/up 2>&1 & {WAIT}"
BEFORE = "0.1.9"
"""Version of the package before ours: the same contents."""
OPEN_STEP = """
import psycopg
from ipam_core import settings
from ipam_core.db.url import find_url
with psycopg.connect(find_url(settings.load(None, {"data_dir": "/var/lib/ipam"})), autocommit=True) as connection:
    connection.execute("delete from schema_step where name = %s", ["functions/vacancy"])
"""
STATE = "dpkg-query --show --showformat '${Status} ${Version}' ipam"
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
    """The one that `make deb` makes, and beside it the same as the release before and as a later version."""
    if not wheels.fits_debian():
        refuse(PeerMissingError("Debian's Python", "it is absent or of another version than ours"))
    folder = tmp_path_factory.mktemp("debs")
    made = Path(shutil.copy(wheels.package(), folder))
    work = folder / "work"
    subprocess.run(["dpkg-deb", "--raw-extract", made, work], check=True)
    for name, version in (("before", BEFORE), ("later", "99.0")):
        again(work, folder / f"{name}.deb", version)
    shutil.rmtree(work)
    return made


def again(work: Path, path: Path, version: str) -> None:
    """The same with a version and a settings file of its own."""
    control, settings = work / "DEBIAN/control", work / "etc/ipam/ipam.toml"
    control.write_text(
        re.sub(r"^Version: .*$", f"Version: {version}", control.read_text(), flags=re.MULTILINE)
    )
    settings.write_text(f"{settings.read_text()}# of version {version}\n")
    subprocess.run(["dpkg-deb", "-Znone", "--build", work, path], check=True, capture_output=True)


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

    def install(self, name: str) -> str:
        return self.run(f"dpkg --force-confold --install /tmp/debs/{name}")


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
    manual = {path.name for path in (tmp_path / "usr/share/man/man1").iterdir()}
    assert {"ipam.1.gz", "ipam-up.1.gz", "ipam-subnets.1.gz"} <= manual
    for name in ("prometheus/ipam.rules.yml", "grafana/ipam.json"):
        assert (folder / "deploy" / name).read_bytes() == (ROOT / "deploy" / name).read_bytes()
    assert (folder / "README.md").read_bytes() == (ROOT / "README.md").read_bytes()
    assert (tmp_path / "usr/share/ansible/collections/ansible_collections/ipam/ipam/galaxy.yml").is_file()


def test_it_is_installed_upgraded_removed_and_purged(machine: Machine) -> None:
    """From the release before by this build to a later version, whose downgrade is refused. Each step names the next
    one, if there is one."""
    said = machine.install("before.deb")
    assert "Next: edit /etc/ipam/ipam.toml, then run: systemctl enable --now ipam-up" in said
    machine.run(READY)
    assert "ipam: " not in machine.install(machine.package.name)
    installed = machine.package.name.split("_")[1]
    assert machine.run(STATE) == f"install ok installed {installed}"
    assert machine.run("stat -c '%U:%G %a' /var/lib/ipam /etc/ipam/ipam.toml").split("\n")[:2] == [
        "ipam:ipam 750",
        "root:ipam 640",
    ]
    version = machine.run("ipam --version").removeprefix("ipam, version ").strip()
    assert run_on_host(ROOT / ".ci/version.py", "debian", version) == f"{installed}\n"
    complete_commands(machine)
    list_what_is_installed(machine)
    backed_up = machine.run(f"{AS_IPAM} ipam {CONFIG} backup /var/lib/ipam/kept")
    assert backed_up.startswith("/var/lib/ipam/kept: ")
    say_what_is_next(machine, installed)

    leave_the_settings_file(machine)
    assert machine.run("find /opt/ipam -not -type l -perm -002") == ""
    machine.run("echo 'log_level = \"debug\"' >>/etc/ipam/ipam.toml")
    machine.install("later.deb")
    assert 'log_level = "debug"' in machine.run("cat /etc/ipam/ipam.toml")
    assert "of version 99" in machine.run("cat /etc/ipam/ipam.toml.dpkg-dist")
    refuse_a_downgrade(machine)

    machine.run(
        "pid=$(cat /tmp/pid); kill $pid; while grep -q . /proc/$pid/cmdline; do sleep 0.1; done 2>/dev/null"
    )
    machine.run("dpkg --remove ipam")
    assert (
        machine.run("ls -d /opt/ipam /usr/bin/ipam /lib/systemd/system/ipam* || true").count("No such file")
        == 3
    )
    assert 'log_level = "debug"' in machine.run("cat /etc/ipam/ipam.toml")
    assert "/var/lib/ipam, with database and key, is kept" in machine.run("dpkg --purge ipam")
    assert machine.run("ls /etc/ipam || true").count("No such file") == 1
    assert "database.dump" in machine.run("ls /var/lib/ipam/kept")


def run_on_host(*command: str | Path) -> str:
    done = subprocess.run([sys.executable, *command], check=True, capture_output=True, text=True)
    return done.stdout


def complete_commands(machine: Machine) -> None:
    """In three shells, of which bash is here."""
    words = "COMP_WORDS='ipam back' COMP_CWORD=1 _IPAM_COMPLETE=bash_complete ipam"
    assert "plain,backup" in machine.run(f"bash -n /usr/share/bash-completion/completions/ipam && {words}")
    assert machine.run("cat /usr/share/zsh/vendor-completions/_ipam").startswith("#compdef ipam\n")
    assert "complete --no-files --command ipam" in machine.run(
        "cat /usr/share/fish/vendor_completions.d/ipam.fish"
    )


def list_what_is_installed(machine: Machine) -> None:
    """In the bill of materials."""
    bill = json.loads(machine.run("cat /usr/share/doc/ipam/sbom/ipam-python.cdx.json"))
    described = [bill["metadata"]["component"], *bill["components"]]
    listed = {component["name"].lower(): component["version"] for component in described}
    assert listed == json.loads(machine.run(f"/opt/ipam/bin/python3 -P -c '{INSTALLED}'"))
    assert not UNUSED & listed.keys()
    assert "react-dom" in machine.run("cat /usr/share/doc/ipam/sbom/ipam-console.cdx.json")


def say_what_is_next(machine: Machine, installed: str) -> None:
    """After an upgrade, if processes wait for a step: nothing at another installation or at dpkg-reconfigure, which
    both name the version that is there."""
    configure = "/var/lib/dpkg/info/ipam.postinst configure"
    assert machine.run(f"{configure} {BEFORE}") == ""
    machine.run(f"{AS_IPAM} /opt/ipam/bin/python3 -P -c '{OPEN_STEP}'")
    assert f"sudo -u ipam ipam {CONFIG} migrate --pre" in machine.run(f"{configure} {BEFORE}")
    assert machine.run(f"{configure} '{installed}'") == ""
    assert (
        machine.run(f"/var/lib/dpkg/info/ipam.preinst upgrade '{installed}'") == ""
    )  # as dpkg-reconfigure does


def leave_the_settings_file(machine: Machine) -> None:
    """An upgrade neither needs it nor changes its owner and mode."""
    configure = f"/var/lib/dpkg/info/ipam.postinst configure {BEFORE}"
    file = "/etc/ipam/ipam.toml"
    machine.run(f"mv {file} {file}.away && {configure} && mv {file}.away {file}")
    machine.run(f"chown root:adm {file} && chmod 600 {file} && {configure}")
    assert machine.run(f"stat -c '%U:%G %a' {file}").strip() == "root:adm 600"
    machine.run(f"chown root:ipam {file} && chmod 640 {file}")


def refuse_a_downgrade(machine: Machine) -> None:
    """With the reason, unless the administrator insists."""
    said = machine.run("if dpkg --install /tmp/debs/before.deb; then exit 1; fi")
    assert f"ipam: {BEFORE} is older than 99.0, the version that was installed last: not installed." in said
    assert "restore the backup" in said
    assert machine.run(STATE) == "install ok installed 99.0"
    script = f"/var/lib/dpkg/info/ipam.preinst upgrade 99.0 {BEFORE}"
    assert machine.run(f"ALLOW_IPAM_DOWNGRADE=yes {script} && if {script}; then exit 1; fi") in said
