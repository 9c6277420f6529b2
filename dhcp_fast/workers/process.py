"""A worker as a child process of the supervisor, restarted when it ends.

A worker that served for a while is restarted at once, because no other process serves its clients.
One that dies soon again waits longer each time. One that sends nothing for a minute is killed. Its
sockets are the supervisor's, so what arrives in the meantime waits in them.
"""

import asyncio
import contextlib
import os
import socket
import subprocess
import sys
import time
from collections.abc import Callable, Mapping
from typing import Any

import msgspec
import structlog

from dhcp_fast.database.work_rates import Work
from dhcp_fast.workers.channel import PART, Line, State, Window, open_line
from dhcp_fast.workers.door import hand_in, open_door
from dhcp_fast.workers.sockets import Part
from ipam_core.setting_values import Endpoint

FIRST_PAUSE_SECONDS = 0.25
LONGEST_PAUSE_SECONDS = 30.0
STABLE_SECONDS = 10.0
SILENT_SECONDS = 5.0
HUNG_LOOKS = 60
STOP_SECONDS = 10.0
LOOK_SECONDS = 1.0

STARTING = "it is starting"

log = structlog.get_logger()


class Worker:
    """Call `keep` until canceled, then `stop`.

    `introduced` is called when a new process can receive messages.
    """

    def __init__(
        self,
        index: int,
        page: Endpoint,
        part: Callable[[int], Part],
        environment: Mapping[str, str],
        introduced: Callable[["Worker"], None],
    ) -> None:
        self.index = index
        self.page = page
        self.part = part
        self.environment = environment
        self.introduced = introduced
        self.process: subprocess.Popen[bytes] | None = None
        self.line: Line | None = None
        self.door: socket.socket | None = None
        self.reason = STARTING
        self.warnings: list[str] = []
        self.work = Work()
        self.last_state_at = 0.0
        self.silent_looks = 0
        self.restarts = 0
        self.ended: Callable[[int], None] = lambda _index: None

    async def keep(self) -> None:
        """Start it, and again whenever it has ended; one that cannot be started is tried again too."""
        pause = 0.0
        while True:
            began = time.monotonic()
            try:
                status: int | str = await self.live()
            except OSError as error:  # there is no memory, or no process, to be had just now
                status = str(error)
            stable = time.monotonic() - began > STABLE_SECONDS
            pause = 0.0 if stable else min(max(pause * 2, FIRST_PAUSE_SECONDS), LONGEST_PAUSE_SECONDS)
            log.error("a worker exited", worker=self.index, status=status, starts_again_in=pause)
            self.ended(self.index)
            self.restarts += 1
            await asyncio.sleep(pause)

    async def live(self) -> int:
        """Return one process from its start to its end; the exit status."""
        process, ours, part = self.start()
        self.process, self.reason = process, STARTING
        self.last_state_at, self.silent_looks = time.monotonic(), 0
        self.line = await open_line(ours, self.note_state)
        self.line.tell(PART, part)
        self.introduced(self)
        try:
            await self.await_end(process)
        finally:
            self.line.close()
            self.line = None
            self.shut_door()
        self.reason = "it exited and is being restarted"
        return process.wait()

    def start(self) -> tuple[subprocess.Popen[bytes], socket.socket, Part]:
        """Return the process, our end of its line, and its first message."""
        ours, theirs = socket.socketpair()
        self.shut_door()
        self.door, door = open_door()
        part = msgspec.structs.replace(self.part(self.index), door=door.fileno())
        with theirs, door:
            process = subprocess.Popen(
                [sys.executable, "-P", "-m", "api.cli", "dhcp", "--worker", str(theirs.fileno())],
                stdin=subprocess.DEVNULL,
                env=self.environment,
                pass_fds=[theirs.fileno(), *part.descriptors()],
                start_new_session=True,
            )
        return process, ours, part

    def hand_in(self, place: int, descriptor: int | None) -> None:
        """Note that its socket in a place is another one from now on. A worker that takes none is ended, and the next
        one starts with it."""
        if self.door is None or self.process is None:
            return
        try:
            hand_in(self.door, place, descriptor)
        except OSError as error:
            log.error(
                "a worker does not take its new socket; killing it", worker=self.index, error=str(error)
            )
            self.shut_door()
            self.process.kill()

    def shut_door(self) -> None:
        if self.door is not None:
            self.door.close()
        self.door = None

    async def await_end(self, process: subprocess.Popen[bytes]) -> None:
        gone = asyncio.Event()
        descriptor = os.pidfd_open(process.pid)
        loop = asyncio.get_running_loop()
        loop.add_reader(descriptor, gone.set)
        try:
            while not gone.is_set():
                with contextlib.suppress(TimeoutError):
                    async with asyncio.timeout(LOOK_SECONDS):
                        await gone.wait()
                self.silent_looks += 1  # not seconds: we may have been stopped ourselves
                if self.silent_looks > HUNG_LOOKS and not gone.is_set():
                    log.error("a worker does not respond; killing it", worker=self.index)
                    process.kill()
                    await gone.wait()
        finally:
            loop.remove_reader(descriptor)
            os.close(descriptor)

    async def stop(self) -> None:
        """Ask it to end what it is doing; insist when it does not."""
        if self.process is None or self.process.poll() is not None:
            return
        self.process.terminate()
        try:
            await asyncio.to_thread(self.process.wait, STOP_SECONDS)
        except subprocess.TimeoutExpired:
            self.process.kill()
            await asyncio.to_thread(self.process.wait)

    # --- messages

    def note_state(self, state: State) -> None:
        self.reason, self.warnings, self.work = state.reason, state.warnings, state.work
        self.last_state_at, self.silent_looks = time.monotonic(), 0

    def not_ready(self) -> str:
        """Return why its clients are not served, to be put behind its name; empty when they are."""
        if not self.reason and time.monotonic() - self.last_state_at > SILENT_SECONDS:
            return "it does not answer"
        return self.reason

    @property
    def alive(self) -> bool:
        return self.process is not None and self.process.poll() is None

    def tell(self, kind: bytes, value: Any) -> None:
        if self.line is not None:
            self.line.tell(kind, value)

    def begin(self, window: Window) -> None:
        if self.line is not None:
            self.line.begin(window)

    def piece(self, framed: bytes) -> None:
        if self.line is not None:
            self.line.piece(framed)

    def end(self, known: int) -> None:
        if self.line is not None:
            self.line.end(known)
