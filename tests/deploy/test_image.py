"""The container image: built of the package by buildah without a network, and started as its own account."""

import os
import shlex
import shutil
import subprocess
import sys
from pathlib import Path

import pytest
import wheels
from system import peers
from system.conftest import refuse
from system.namespaces import Namespace, Network
from system.peers import PeerMissingError

ROOT = Path(__file__).parents[2]
BUILD_SECONDS = 600.0
BASE = "localhost/base"
POLICY = '{"default": [{"type": "insecureAcceptAnything"}]}'
# buildah starts helpers of its own with an empty environment, so its libraries must lie where Debian's do.
BUILDAH = """#!/bin/sh
exec unshare --mount sh -c '
mount -t overlay overlay -o lowerdir={peers}/usr:/usr /usr
mount -t tmpfs tmpfs /run
exec env CONTAINERS_STORAGE_CONF={folder}/storage.conf CONTAINERS_REGISTRIES_CONF={folder}/registries.conf \\
  HOME={folder} BUILDAH_ISOLATION=chroot TMPDIR={folder} buildah "$@"' sh "$@"
"""
STORAGE = '[storage]\ndriver = "vfs"\nrunroot = "{folder}/run"\ngraphroot = "{folder}/graph"\n'
WAIT = "until healthcheck 2>/tmp/why; do kill -0 $! || { cat /tmp/log >&2; exit 1; }; sleep 0.2; done"
SERVE = f"ipam up >/tmp/log 2>&1 & {WAIT}; id -u; cat /tmp/log"

pytestmark = [pytest.mark.peers, pytest.mark.peer("namespaces"), pytest.mark.peer("buildah")]


@pytest.fixture
def buildah(tmp_path: Path) -> Path:
    """The program with a storage of its own, in which a small Debian is the image to build on."""
    base = peers.PEERS / "base.tar"
    if not base.exists():
        refuse(
            PeerMissingError(
                "base image", peers.missing().get("base image", "run tests/system/fetch_peers.sh image")
            )
        )
    program = tmp_path / "buildah"
    program.write_text(BUILDAH.format(peers=peers.program("buildah").parents[2], folder=tmp_path))
    program.chmod(0o755)
    (tmp_path / "storage.conf").write_text(STORAGE.format(folder=tmp_path))
    (tmp_path / "registries.conf").write_text("")
    (tmp_path / ".config/containers").mkdir(parents=True)
    (tmp_path / ".config/containers/policy.json").write_text(POLICY)
    context = tmp_path / "base"
    context.mkdir()
    (context / "Containerfile").write_text("FROM scratch\nADD base.tar /\n")
    os.link(base, context / "base.tar") if base.stat().st_dev == context.stat().st_dev else shutil.copy(
        base, context
    )
    run(program, "build", "--tag", BASE, context)
    return program


def run(*command: str | Path) -> str:
    done = subprocess.run(command, capture_output=True, text=True, timeout=BUILD_SECONDS, check=False)
    assert done.returncode == 0, done.stdout + done.stderr
    return done.stdout


def inside(namespace: Namespace, *command: str | Path) -> str:
    """What a program prints in a namespace."""
    return namespace.run(*command, env=dict(os.environ), within=BUILD_SECONDS)


def test_the_image_is_built_and_serves(buildah: Path, network: Network, tmp_path: Path) -> None:
    if not wheels.fits_debian():
        refuse(PeerMissingError("Debian's Python", "it is absent or of another version than ours"))
    namespace = network.namespace("image")
    chosen = ("env", f"BUILDER={buildah}", f"BASE={BASE}", f"PACKAGE={wheels.package()}")
    archive = Path(inside(namespace, *chosen, ROOT / ".ci/image", sys.executable, tmp_path / "out").strip())
    assert archive.is_file()
    container = run(buildah, "from", "localhost/ipam").strip()
    told = inside(namespace, buildah, "run", container, "--", "ipam", "--version")
    assert told == f"ipam, version {wheels.version()}\n"
    account, *log = inside(namespace, buildah, "run", container, "--", "sh", "-c", SERVE).splitlines()
    assert account == "990"
    assert any(line.startswith("ipam is ready") for line in log), shlex.join(log)
