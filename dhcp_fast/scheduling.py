"""Real-time scheduling (setting `dhcp_scheduling`) of the server's own thread and of its writers' sessions.

Under the kernel's fair scheduler a session that wakes up may wait for a tick or two behind another
process while a processor is idle; SCHED_RR moves it to the idle one (sched(7)). Their child
processes do not inherit it.
"""

import os
import socket
import struct
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import asyncpg
import structlog

from ipam_core.db.asyncpg_internals import socket_of
from ipam_core.errors import SettingsError

FAIR, REALTIME = "fair", "realtime"
POLICY = os.SCHED_RR | os.SCHED_RESET_ON_FORK
# The lowest there are: before all that is scheduled fairly, behind what the operator has put higher. The server does
# not wait for its sessions: a packet takes it microseconds, a statement takes them milliseconds.
SESSION, SERVER = 1, 2
PEER = struct.Struct("3i")  # struct ucred: pid, uid, gid (unix(7))

log = structlog.get_logger()


def begin(priority: int = SERVER) -> None:
    """Schedule in real time from here on this thread is scheduled in real time. Raises SettingsError where that is not
    allowed."""
    try:
        schedule(0, priority)
    except OSError as error:
        raise SettingsError(
            "dhcp_scheduling",
            f"realtime is refused ({error.strerror}): give the server CAP_SYS_NICE (systemd: "
            "AmbientCapabilities=CAP_SYS_NICE; containers: --cap-add SYS_NICE), or set it to fair",
        ) from None


def require() -> None:
    """Check for a process that starts servers and is none itself: refuse what each of them would have to.

    In a thread that ends, because who may take the policy by RLIMIT_RTPRIO may not give it back.
    """
    with ThreadPoolExecutor(1) as other:
        other.submit(begin).result()


def raise_session(connection: asyncpg.Connection) -> None:
    """Schedule in real time the process behind a session of a PostgreSQL on this host; any other keeps its
    scheduling."""
    pid = connection.get_server_pid()
    if not is_child(pid, listener(socket_of(connection))):
        log.info("the PostgreSQL session of a lease writer is not on this host: its scheduling is unchanged")
        return
    try:
        schedule(pid, SESSION)
    except OSError as error:
        log.warning("the scheduling of a lease writer's session cannot be changed", error=error.strerror)


def schedule(pid: int, priority: int) -> None:
    os.sched_setscheduler(pid, POLICY, os.sched_param(priority))


def listener(sock: socket.socket) -> int:
    """Return the process that listens at the other end of a Unix socket; 0 where there is none that we can see."""
    if sock.family != socket.AF_UNIX:
        return 0
    pid: int = PEER.unpack(sock.getsockopt(socket.SOL_SOCKET, socket.SO_PEERCRED, PEER.size))[0]
    return pid


def is_child(pid: int, parent: int) -> bool:
    """Return whether it is a child: PostgreSQL may run on another host, so its process number has
    to fit the listener.
    """
    try:
        status = Path(f"/proc/{pid}/stat").read_text()
    except OSError:
        return False
    return parent > 0 and int(status.rpartition(")")[2].split()[1]) == parent
