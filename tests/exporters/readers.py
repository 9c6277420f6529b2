"""The servers for which we write, told to read a file and do nothing more (`-t`)."""

import subprocess
from pathlib import Path

from system import peers


def kea_reads(folder: Path, text: str, family: int) -> None:
    path = folder / f"kea{family}.json"
    path.write_text(text)
    run([str(peers.program("kea" if family == 4 else "kea6")), "-t", str(path)], folder)


def run(command: list[str], folder: Path) -> None:
    environment = peers.environment() | {"KEA_LOCKFILE_DIR": str(folder), "KEA_PIDFILE_DIR": str(folder)}
    done = subprocess.run(command, env=environment, capture_output=True, text=True, timeout=20, check=False)
    assert done.returncode == 0, (done.stdout + done.stderr)[-2000:]


def dhcpd_reads(folder: Path, text: str, family: int) -> None:
    path, leases = folder / f"dhcpd{family}.conf", folder / "leases"
    path.write_text(text)
    leases.touch()
    run([str(peers.program("dhcpd")), f"-{family}", "-t", "-cf", str(path), "-lf", str(leases)], folder)
