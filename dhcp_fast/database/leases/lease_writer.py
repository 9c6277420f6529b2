"""A writer: a batch of operations -> one statement -> COMMIT -> replies leave.

One statement is in flight on its connection; lease_writers.py decides when the next one begins. It
is sent to PostgreSQL before the replies to the last one are sent.

asyncpg makes the connection (hosts, TLS, passwords); after that this module uses the wire protocol
directly (pg/bind.pyx), because asyncpg would make a Python object of every value. A statement is
never canceled and has no timeout: a connection that does not answer in time is closed, and the
outcome of its batch counts as unknown (rule 11).
"""

import asyncio
import random

import asyncpg
import structlog

from dhcp_fast.database.leases.commit_stats import ABANDONED, WARNED, Waiting
from dhcp_fast.database.leases.lease_session import (
    SESSION,
    Backend,
    await_history,
    end_backend,
    end_former,
    prepare_session,
    read_backend,
)
from dhcp_fast.database.leases.refused_batches import refused
from dhcp_fast.database.leases.writer_group import WriterGroup
from dhcp_fast.engine.batch import Batch
from dhcp_fast.pg.bind import AnswerReader, BatchEncoder, parse_message
from ipam_core import faults
from ipam_core.db import queries
from ipam_core.db.asyncpg_internals import hand_over, note_lost
from ipam_core.db.connect import connect_any
from ipam_core.db.outage import AWAY, reason

LATE_SECONDS = 5.0
PREPARE_SECONDS = 5.0
FIRST_PAUSE_SECONDS = 0.1
LONGEST_PAUSE_SECONDS = 0.5  # an outage is longer by what is slept beyond it
STABLE_SECONDS = 5.0

STATEMENTS = (
    "bind_leases",
    "change_leases",
    "quarantine_leases",
    "grant_leases",
    "register_leases",
)  # as the queue numbers them

log = structlog.get_logger()


def with_jitter(seconds: float) -> float:
    """Return up to a quarter less: the writers of many servers come back to one database."""
    return seconds * (1 - random.random() / 4)  # noqa: S311 - nobody gains by guessing it


class PrepareError(Exception):
    """The lease statements cannot be prepared: the schema is of another version, or is being changed."""


class Writer(asyncio.Protocol):
    """A connection that is made again whenever it is lost. `run` it; `write` a batch when it is `idle`.

    Every batch gets an outcome: the database's answer, its refusal (refused_batches.py), or
    "unknown" when the connection ends before.
    """

    def __init__(self, dsn: str, group: WriterGroup) -> None:
        self.dsn = dsn
        self.group = group
        self.encoder = BatchEncoder()
        self.reader = AnswerReader()
        self.answer = AnswerReader()  # the last statement's, while the next one is under way
        self.transport: asyncio.Transport | None = None
        self.connection: asyncpg.Connection | None = None
        self.backend: Backend | None = None  # of the connection, or of the last one
        self.undecided: list[tuple[int, int, int]] = []  # rows that a former session may still commit
        self.batch: Batch | None = None
        self.waiting = Waiting()
        self.deadline: asyncio.TimerHandle | None = None
        self.prepared: asyncio.Future[None] | None = None
        self.lost = asyncio.Event()
        self.deciding: set[asyncio.Task[None]] = set()

    @property
    def connected(self) -> bool:
        return self.transport is not None and self.prepared is None

    @property
    def idle(self) -> bool:
        return self.batch is None and self.connected

    # --- the connection

    async def run(self) -> None:
        try:
            await self.keep_connected()
        finally:
            self.drop_connection()

    async def keep_connected(self) -> None:
        pause = FIRST_PAUSE_SECONDS
        while True:
            self.lost.clear()
            pause = min(pause * 2, LONGEST_PAUSE_SECONDS)
            try:
                await self.connect()
            except (*AWAY, PrepareError) as error:
                log.warning("lease writer cannot connect", error=reason(error), retry_in=pause)
                self.drop_connection()
                await asyncio.sleep(with_jitter(pause))
                continue
            connected_at = asyncio.get_running_loop().time()
            self.group.kick()
            await self.lost.wait()
            self.drop_connection()
            if asyncio.get_running_loop().time() - connected_at > STABLE_SECONDS:
                pause = FIRST_PAUSE_SECONDS
            await asyncio.sleep(with_jitter(pause))

    async def connect(self) -> None:
        if self.backend is not None:
            await end_former(self.group.sessions, self.backend)
        self.connection = await connect_any(self.dsn, server_settings=SESSION)
        async with asyncio.timeout(PREPARE_SECONDS):
            self.encoder.know_types(*await prepare_session(self.connection, realtime=self.group.realtime))
            await self.succeed(self.connection)
            await await_history(self.connection, self.group.is_known)
            self.take_over(self.connection)
            lease = queries.load("dhcp_lease")
            for name in STATEMENTS:
                await self.prepare(name.encode(), getattr(lease, name).sql)

    async def succeed(self, connection: asyncpg.Connection) -> None:
        """Keep one session of PostgreSQL per writer, however often it is made: a hanging commit
        keeps its session. The outcome of its rows is known only when that session has ended.
        """
        if self.backend is not None:
            await end_backend(connection, self.backend)
        self.backend = await read_backend(connection)
        self.group.unknown += self.undecided
        self.undecided = []

    def take_over(self, connection: asyncpg.Connection) -> None:
        """Take over the socket's octets; asyncpg sees no more of them."""
        self.transport = hand_over(connection, self)

    async def prepare(self, name: bytes, query: str) -> None:
        assert self.transport is not None
        self.prepared = asyncio.get_running_loop().create_future()
        self.reader.reset()
        self.transport.write(parse_message(name, query.encode()))
        await self.prepared
        self.prepared = None
        if self.reader.sqlstate is not None:
            raise PrepareError(f"{self.reader.sqlstate} {self.reader.error}")

    def drop_connection(self) -> None:
        self.prepared = None
        self.transport = None
        if self.connection is not None:
            self.connection.terminate()
            self.connection = None

    # --- data from the socket

    def data_received(self, data: bytes) -> None:
        try:
            complete = self.reader.feed(data)
        except ValueError as error:
            log.error("lease writer: protocol error", error=str(error))
            self.abort()
            return
        if not complete:
            return
        if self.prepared is not None and not self.prepared.done():
            self.prepared.set_result(None)
        elif self.batch is not None:
            self.answered(self.batch)

    def connection_lost(self, error: Exception | None) -> None:
        self.transport = None
        if self.connection is not None:
            note_lost(self.connection, error)
        if self.prepared is not None and not self.prepared.done():
            self.prepared.set_exception(ConnectionResetError("the database closed the connection"))
        batch = self.take_back()
        if batch is not None:
            self.group.commits.doubted()
            self.undecided += batch.abandon()
        self.lost.set()

    def abort(self) -> None:
        """Close the connection at once; from here on this writer takes no batch."""
        transport, self.transport = self.transport, None
        if transport is not None:
            transport.abort()

    # --- batches

    def write(self, batch: Batch) -> None:
        assert self.transport is not None
        self.batch = batch
        self.group.under_way += 1
        self.waiting.begin()
        self.reader.reset()
        self.transport.write(
            batch.encode(self.encoder, STATEMENTS[batch.statement].encode(), self.group.node_no)
        )
        self.deadline = asyncio.get_running_loop().call_later(LATE_SECONDS * 0.9, self.late)

    def late(self) -> None:
        """Judge lateness.

        If the whole machine stood still, as during a live migration, PostgreSQL needs longer to
        answer than this process to notice: it always has the last tenth of the time.
        """
        self.deadline = asyncio.get_running_loop().call_later(LATE_SECONDS * 0.1, self.give_up)

    def give_up(self) -> None:
        log.error("lease writer: batch abandoned", leases=self.batch.count if self.batch else 0)
        self.group.commits.failed(ABANDONED, f"a commit did not finish within {LATE_SECONDS:.0f} s")
        self.abort()

    def take_back(self) -> Batch | None:
        batch, self.batch = self.batch, None
        if batch is not None:
            self.group.ended()
        self.waiting.end()
        if self.deadline is not None:
            self.deadline.cancel()
            self.deadline = None
        return batch

    def answered(self, batch: Batch) -> None:
        """Handle the database's answer to the whole statement."""
        seconds, began = batch.note_answer(), self.waiting.since
        self.take_back()
        answer, self.reader, self.answer = self.reader, self.answer, self.reader
        if answer.remark is not None and self.group.commits.remarked():
            log.warning("warning of the database", message=answer.remark)
        if answer.sqlstate is not None:
            if not refused(self.group, batch, answer):
                self.abort()
        elif answer.warned:
            log.error("commit with a warning; its outcome is unknown", leases=batch.count)
            self.group.commits.failed(WARNED, "commit with a warning")
            self.group.unknown += batch.abandon()
        else:
            try:
                self.group.receive()  # messages that arrived meanwhile join the next statement
                self.group.kick()
            finally:
                self.succeeded(batch, answer, seconds, began)
        self.group.kick()

    def succeeded(self, batch: Batch, answer: AnswerReader, seconds: float, began: float) -> None:
        size = batch.count
        try:
            indexes = batch.committed(answer)
        except ValueError as error:
            log.error("lease writer: protocol error", error=str(error))
            self.group.unknown += batch.abandon()
            self.abort()
            return
        self.group.commits.succeeded(size, seconds, began, wrote=len(indexes) < size)
        if indexes:
            deciding = asyncio.get_running_loop().create_task(self.decide_rejected(batch, indexes))
            self.deciding.add(deciding)
            deciding.add_done_callback(self.decided)

    async def decide_rejected(self, batch: Batch, indexes: list[int]) -> None:
        try:
            await self.group.losers(batch, indexes)
        except AWAY as error:
            log.warning("refused rows could not be read", error=reason(error))
        finally:
            self.group.unknown += batch.abandon()  # operations without an outcome, if any
        self.group.kick()

    def decided(self, deciding: "asyncio.Task[None]") -> None:
        """Log a failure that nobody foresaw."""
        self.deciding.discard(deciding)
        if not deciding.cancelled() and deciding.exception() is not None:
            faults.caught("refused rows", deciding.exception() or RuntimeError())
