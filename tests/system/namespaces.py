"""Network namespaces joined by veth pairs: small networks that a test makes and that vanish with it.

    with Network() as network:
        server, client = network.namespace("server"), network.namespace("client")
        network.join(server, "s0", client, "c0")
        server.address("s0", "192.0.2.1/24")

Each namespace lives as long as its holder, a `cat` that waits for our end of a pipe to close; so even a
killed test run leaves nothing behind. Programs enter with nsenter and die with their parent. Not as root,
everything happens in one user namespace in which we are root. Each namespace has its own mounts too: what a
test mounts is seen there only.
"""

import ctypes
import os
import socket
import subprocess
import sys
from collections.abc import Iterator
from contextlib import ExitStack, contextmanager
from pathlib import Path
from types import TracebackType
from typing import IO, Self

from system import peers

RUN_SECONDS = 20.0
STOP_SECONDS = 5.0
Process = subprocess.Popen[bytes]
CLONE_NEWNET = 0x40000000
_libc = ctypes.CDLL(None, use_errno=True)
OPEN = """
import socket, sys
door, *kind = map(int, sys.argv[1:])
with socket.socket(fileno=door) as door:
    opened = socket.socket(*kind)
    socket.send_fds(door, [b"opened"], [opened.fileno()])
"""


class Namespace:
    """One network namespace (and its mounts), named for its part in the test."""

    def __init__(self, name: str, holder: int, entry: list[str]) -> None:
        self.name = name
        self.holder = holder
        self._entry = entry
        self.program = str(peers.program("ip"))
        self.started: list[Process] = []
        self.ip("link", "set", "lo", "up")

    def command(self, *argv: str | Path) -> list[str]:
        """`argv` as it runs in here, killed when its parent dies."""
        return [*self._entry, "setpriv", "--pdeathsig", "KILL", *map(str, argv)]

    def run(self, *argv: str | Path, env: dict[str, str] | None = None, within: float = RUN_SECONDS) -> str:
        """Run to the end, within bounds; standard output."""
        done = subprocess.run(
            self.command(*argv),
            env=env or peers.environment(),
            capture_output=True,
            text=True,
            timeout=within,
            check=False,
        )
        assert done.returncode == 0, f"{argv} in {self.name}: {done.stderr.strip()}"
        return done.stdout

    def start(
        self, *argv: str | Path, log: Path, env: dict[str, str] | None = None, cwd: Path | None = None
    ) -> Process:
        """Start a program that stays; it is stopped with the network at the latest."""
        with log.open("ab") as output:
            process = popen(self.command(*argv), stdout=output, env=env or peers.environment(), cwd=cwd)
        self.started.append(process)
        return process

    def stop(self) -> None:
        for process in reversed(self.started):
            stop(process)

    def ip(self, *argv: str) -> str:
        return self.run(self.program, *argv)

    def address(self, interface: str, address: str) -> None:
        self.ip("address", "add", address, "dev", interface)

    def route(self, destination: str, via: str) -> None:
        self.ip("route", "add", destination, "via", via)

    def bridge(self, name: str, *ports: str) -> None:
        """One wire of several ends."""
        self.ip("link", "add", name, "up", "type", "bridge")
        for port in ports:
            self.ip("link", "set", port, "master", name)

    def forward(self, passing: bool = True) -> None:
        """Pass packets on, as a router does."""
        self.run("sh", "-c", f"echo {int(passing)} > /proc/sys/net/ipv4/ip_forward")


class Network:
    """The namespaces of one test; a context manager."""

    def __init__(self) -> None:
        self._cleanup = ExitStack()
        self._user: list[str] = []

    def __enter__(self) -> Self:
        if not can("--net", "--mount"):
            if not can("--user", "--map-root-user", "--net", "--mount"):
                raise peers.PeerMissingError(
                    "namespaces", "the kernel lets us make none, not even in a user namespace"
                )
            holder = self._hold(["unshare", "--user", "--map-root-user"])
            self._user = ["nsenter", "--target", str(holder), "--user", "--preserve-credentials"]
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self._cleanup.close()

    def namespace(self, name: str) -> Namespace:
        holder = self._hold([*self._user, "unshare", "--net", "--mount"])
        entry = ["nsenter", "--target", str(holder), "--net", "--mount"]
        if self._user:
            entry += ["--user", "--preserve-credentials"]
        made = Namespace(name, holder, entry)
        self._cleanup.callback(made.stop)
        return made

    def join(self, one: Namespace, one_end: str, other: Namespace, other_end: str) -> None:
        """A wire between two namespaces, both ends up."""
        one.ip("link", "add", one_end, "type", "veth", "peer", "name", other_end, "netns", str(other.holder))
        one.ip("link", "set", one_end, "up")
        other.ip("link", "set", other_end, "up")

    def _hold(self, unshare: list[str]) -> int:
        """Start a process that keeps new namespaces; its pid, once they exist."""
        command = [*unshare, "sh", "-c", "echo made; exec cat"]
        holder = popen(command, stdin=subprocess.PIPE, stdout=subprocess.PIPE)
        self._cleanup.callback(stop, holder)
        assert holder.stdout is not None
        assert holder.stdout.readline() == b"made\n"
        return holder.pid


@contextmanager
def entered(namespace: Namespace) -> Iterator[None]:
    """This thread, and those that it starts, in the network of the namespace. Raises PeerMissingError where it may not
    go there."""
    ours, theirs = Path("/proc/thread-self/ns/net"), Path(f"/proc/{namespace.holder}/ns/net")
    with ours.open() as home, theirs.open() as there:
        if _libc.setns(there.fileno(), CLONE_NEWNET):
            raise peers.PeerMissingError("namespaces", f"entering one: {os.strerror(ctypes.get_errno())}")
        try:
            yield
        finally:
            _libc.setns(home.fileno(), CLONE_NEWNET)


def socket_in(namespace: Namespace, family: int, kind: int, protocol: int = 0) -> socket.socket:
    """A socket of the namespace, in this process."""
    ours, theirs = socket.socketpair()
    with ours, theirs:
        told = map(str, (theirs.fileno(), family, kind, protocol))
        command = namespace.command(sys.executable, "-c", OPEN, *told)
        subprocess.run(command, pass_fds=[theirs.fileno()], timeout=RUN_SECONDS, check=True)
        _, (fd,), _, _ = socket.recv_fds(ours, 16, 1)
        return socket.socket(fileno=fd)


def can(*unshare: str) -> bool:
    """True when the kernel lets us unshare so."""
    done = subprocess.run(
        ["unshare", *unshare, "true"], capture_output=True, timeout=RUN_SECONDS, check=False
    )
    return done.returncode == 0


def popen(
    command: list[str],
    stdout: int | IO[bytes],
    stdin: int = subprocess.DEVNULL,
    env: dict[str, str] | None = None,
    cwd: Path | None = None,
) -> Process:
    return subprocess.Popen(command, stdin=stdin, stdout=stdout, stderr=subprocess.STDOUT, env=env, cwd=cwd)


def stop(process: Process, within: float = STOP_SECONDS) -> None:
    """SIGTERM, then SIGKILL; by pid, and only what we started."""
    for pipe in (process.stdin, process.stdout):
        if pipe:
            pipe.close()
    if process.poll() is None:
        process.terminate()
    try:
        process.wait(within)
    except subprocess.TimeoutExpired:
        process.kill()
        process.wait()
