"""Writers: operations that are ready -> one statement -> COMMIT -> replies leave.

A few connections, one statement in flight on each; what becomes ready meanwhile is the next batch, so an idle server
answers after one commit and a busy one writes hundreds of leases a commit, without a timer (engine rule 6). A statement
costs as much as a dozen rows: while one is under way, another begins only for many operations, or when the first
takes long. PostgreSQL has its next statement before the replies to the last one are sent.

asyncpg makes the connection (hosts, TLS, passwords); from then on we speak the wire protocol ourselves (pg/bind.pyx),
because asyncpg would make a Python object of every value. A statement is never cancelled and has no time-out: a
connection that does not answer in time is closed, and what it was writing counts as unknown (rule 11).
"""

import asyncio
import random
from collections.abc import Awaitable, Callable
from functools import partial
from typing import Any

import asyncpg
import structlog

from dhcp_fast.database.blockers import Blocker, in_words, read_blockers
from dhcp_fast.database.commit_stats import ABANDONED, WARNED, Commits, Waiting
from dhcp_fast.database.grant_backoff import Caution
from dhcp_fast.database.lease_session import (
    SESSION,
    Backend,
    IsKnown,
    await_history,
    end_backend,
    read_backend,
    settle,
)
from dhcp_fast.database.refused_batches import refused
from dhcp_fast.engine.batch import Batch, take_batch
from dhcp_fast.engine.configure import be_cautious
from dhcp_fast.engine.engine import Engine
from dhcp_fast.pg.bind import AnswerReader, BatchEncoder, parse_message
from ipam_core.db import queries
from ipam_core.db.connect import connect_any
from ipam_core.db.outage import AWAY, reason

LATE_SECONDS = 5.0
PREPARE_SECONDS = 5.0
FIRST_PAUSE_SECONDS = 0.1
LONGEST_PAUSE_SECONDS = 0.5  # an outage is longer by what is slept beyond it
SETTLED_SECONDS = 5.0
SESSIONS = 2
MOST_IN_A_BATCH = 384
WORTH_A_STATEMENT = 64  # beside one that is under way
WORTH_A_PART = 32
BLOCKED_SECONDS = 1.0
PATIENCE_SECONDS = 0.02

STATEMENTS = (
    "bind_leases",
    "change_leases",
    "quarantine_leases",
    "grant_leases",
)  # as the queue numbers them

# What the second look at a batch's losers needs: the batch and their places.
Losers = Callable[[Batch, list[int]], Awaitable[None]]

log = structlog.get_logger()


def with_jitter(seconds: float) -> float:
    """Up to a quarter less: the writers of many servers come back to one database."""
    return seconds * (1 - random.random() / 4)  # noqa: S311 - nobody gains by guessing it


class PrepareError(Exception):
    """The lease statements cannot be prepared: the schema is of another version, or is being changed."""


class LeaseWriters:
    """The writers of one engine. `kick` after packets were received; `close` at the end."""

    def __init__(
        self,
        dsn: str,
        engine: Engine,
        node_no: int,
        losers: Losers,
        is_known: IsKnown,
        *,
        realtime: bool,
    ) -> None:
        self.engine = engine
        self.node_no = node_no
        self.losers = losers
        self.is_known = is_known
        self.realtime = realtime
        self.hear: Callable[[], object] = lambda: None  # take in the packets that have come
        self.writers = [Writer(dsn, self) for _ in range(SESSIONS)]
        self.halved: list[Batch] = []
        self.held = False  # nothing is written before `resume`
        self.missing_partition: Callable[[], object] = lambda: None
        self.turn = 0  # the statement that was written last
        self.impatience: asyncio.TimerHandle | None = None
        self.under_way = 0  # statements
        self.unknown: list[tuple[int, int, int]] = []  # rows of which we do not know what became
        self.commits = Commits(engine.set_unsure)
        self.blockers: list[Blocker] = []
        self.caution = Caution(partial(be_cautious, engine))

    async def run(self) -> None:
        """Keep every connection; until cancelled, or until a server is found that must not hold leases."""
        async with asyncio.TaskGroup() as keepers:
            for writer in self.writers:
                keepers.create_task(writer.run())

    @property
    def connected(self) -> bool:
        return any(writer.connected for writer in self.writers)

    def not_ready(self) -> str:
        """Why leases cannot be committed; empty when they can."""
        if not self.connected:
            return "no lease writer is connected to the database"
        if hung := self.hung():
            return f"a commit of leases has been waiting for {hung:.0f} s{in_words(self.blockers)}"
        if refusal := self.commits.refused():
            return f"the database refuses leases: {refusal}"
        return ""

    def hung(self) -> float:
        """For how many seconds the slowest commit has been under way, if they are too many; else 0."""
        return max(writer.waiting.hung() for writer in self.writers)

    async def look_at_blockers(self, connection: asyncpg.Connection) -> None:
        """Who holds what a commit waits for, if one waits for long; else only whether the database answers."""
        waiting = [
            writer.backend.pid
            for writer in self.writers
            if writer.backend and writer.waiting.seconds() > BLOCKED_SECONDS
        ]
        if not waiting:
            self.blockers = []
            await connection.execute("select 1")
            return
        found = await read_blockers(connection, waiting)
        if found and {one.pid for one in found} != {one.pid for one in self.blockers}:
            log.warning("a commit of leases waits", reason=in_words(found).removeprefix(", "))
        self.blockers = found

    def kick(self) -> None:
        """Give every idle writer what is ready and worth a statement; what is divided among them begins at once."""
        if self.can_wait():
            return
        worth = WORTH_A_STATEMENT
        for writer in self.writers:
            if writer.idle:
                if not self.worth_a_statement(worth):
                    return
                self.feed(writer)
                worth = WORTH_A_PART

    def hold(self) -> None:
        """The history has no partition for what is written: wait until who was told has made it, and calls `resume`."""
        self.held = True
        self.missing_partition()

    def resume(self) -> None:
        self.held = False
        self.kick()

    def can_wait(self) -> bool:
        """What most calls come to, told by as little Python as may be: too few to look at the writers for, before the
        commit under way is over or `look` looks."""
        if self.halved or self.held:
            return self.held
        ready = self.engine.ready_in_all()
        return not ready or (self.under_way > 0 and ready < WORTH_A_STATEMENT and self.impatience is not None)

    def worth_a_statement(self, worth: int) -> bool:
        """A few operations wait for the commit that is under way, but not for one that takes long."""
        ready = self.engine.ready_in_all()
        if self.halved or ready >= worth:
            return True
        if ready and any(writer.soon_done for writer in self.writers):
            self.look_later()
            return False
        return ready > 0

    def look_later(self) -> None:
        """When the youngest commit under way takes long; one that ends takes the timer with it (`ended`)."""
        if self.impatience is None:
            youngest = min(writer.waiting.seconds() for writer in self.writers if writer.batch is not None)
            self.impatience = asyncio.get_running_loop().call_later(PATIENCE_SECONDS - youngest, self.look)

    def look(self) -> None:
        self.impatience = None
        self.kick()

    def ended(self) -> None:
        """A statement is over: what waited for it need not, even if another session hangs."""
        self.under_way -= 1
        if self.impatience is not None:
            self.impatience.cancel()
            self.impatience = None

    def feed(self, writer: "Writer") -> None:
        batch = self.halved.pop().in_time() if self.halved else self.next_batch()
        if batch is not None:
            writer.write(batch)

    def next_batch(self) -> Batch | None:
        """Each statement that has something ready in its turn: a flood of new clients starves no renewal."""
        ready = self.engine.ready()
        for _ in ready:
            self.turn = (self.turn + 1) % len(ready)
            if ready[self.turn]:
                return take_batch(self.engine, self.turn, self.share(ready[self.turn]))
        return None

    def share(self, ready: int) -> int:
        """Writers that are idle at the same time divide what is ready, but not into parts of a few."""
        idle = sum(writer.idle for writer in self.writers)
        parts = max(min(idle, ready // WORTH_A_PART), 1)
        return min(-(-ready // parts), MOST_IN_A_BATCH)


class Writer(asyncio.Protocol):
    """One connection, for ever: made, used, made again when lost."""

    def __init__(self, dsn: str, writers: LeaseWriters) -> None:
        self.dsn = dsn
        self.writers = writers
        self.encoder = BatchEncoder()
        self.reader = AnswerReader()
        self.answer = AnswerReader()  # the last statement's, while the next one is under way
        self.transport: asyncio.Transport | None = None
        self.connection: asyncpg.Connection | None = None
        self.backend: Backend | None = None  # of the connection, or of the last one
        self.unsettled: list[tuple[int, int, int]] = []  # rows that a former session may still commit
        self.batch: Batch | None = None
        self.waiting = Waiting()
        self.deadline: asyncio.TimerHandle | None = None
        self.prepared: asyncio.Future[None] | None = None
        self.lost = asyncio.Event()
        self.looks: set[asyncio.Task[None]] = set()

    @property
    def connected(self) -> bool:
        return self.transport is not None and self.prepared is None

    @property
    def idle(self) -> bool:
        return self.batch is None and self.connected

    @property
    def soon_done(self) -> bool:
        return self.batch is not None and self.waiting.seconds() < PATIENCE_SECONDS

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
            self.writers.kick()
            await self.lost.wait()
            self.drop_connection()
            if asyncio.get_running_loop().time() - connected_at > SETTLED_SECONDS:
                pause = FIRST_PAUSE_SECONDS
            await asyncio.sleep(with_jitter(pause))

    async def connect(self) -> None:
        self.connection = await connect_any(self.dsn, server_settings=SESSION)
        async with asyncio.timeout(PREPARE_SECONDS):
            self.encoder.operation_oid = await settle(self.connection, realtime=self.writers.realtime)
            await self.succeed(self.connection)
            await await_history(self.connection, self.writers.is_known)
            self.take_over(self.connection)
            lease = queries.load("dhcp_lease")
            for name in STATEMENTS:
                await self.prepare(name.encode(), getattr(lease, name).sql)

    async def succeed(self, connection: asyncpg.Connection) -> None:
        """One session of PostgreSQL a writer, however often it has to be made: a commit that hangs keeps its session.
        Only when that has ended do its rows tell what became of them."""
        if self.backend is not None:
            await end_backend(connection, self.backend)
        self.backend = await read_backend(connection)
        self.writers.unknown += self.unsettled
        self.unsettled = []

    def take_over(self, connection: asyncpg.Connection) -> None:
        """From here on the socket's octets come to us; asyncpg sees no more of them."""
        transport: Any = connection._transport
        transport.set_protocol(self)
        self.transport = transport

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

    # --- what the socket says

    def data_received(self, data: bytes) -> None:
        try:
            complete = self.reader.feed(data)
        except ValueError as error:
            log.error("lease writer lost the protocol", error=str(error))
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
        if self.connection is not None and self.connection._protocol is not None:
            # asyncpg's own end of a session would write to the closed transport, which uvloop takes for an error.
            self.connection._protocol.connection_lost(error)
        if self.prepared is not None and not self.prepared.done():
            self.prepared.set_exception(ConnectionResetError("the database closed the connection"))
        batch = self.take_back()
        if batch is not None:
            self.writers.commits.doubted()
            self.unsettled += batch.abandon()
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
        self.writers.under_way += 1
        self.waiting.begin()
        self.reader.reset()
        self.transport.write(
            batch.encode(self.encoder, STATEMENTS[batch.statement].encode(), self.writers.node_no)
        )
        self.deadline = asyncio.get_running_loop().call_later(LATE_SECONDS * 0.9, self.late)

    def late(self) -> None:
        """Where all stood still, as in a machine that is moved, PostgreSQL needs a moment more to answer than we to see
        that it is late: it has the last tenth of the time in any case."""
        self.deadline = asyncio.get_running_loop().call_later(LATE_SECONDS * 0.1, self.give_up)

    def give_up(self) -> None:
        log.error("lease writer abandons a batch", leases=self.batch.count if self.batch else 0)
        self.writers.commits.failed(ABANDONED, f"a commit did not end within {LATE_SECONDS:.0f} s")
        self.abort()

    def take_back(self) -> Batch | None:
        batch, self.batch = self.batch, None
        if batch is not None:
            self.writers.ended()
        self.waiting.end()
        if self.deadline is not None:
            self.deadline.cancel()
            self.deadline = None
        return batch

    def answered(self, batch: Batch) -> None:
        """The database's word on the whole statement."""
        seconds, began = batch.heard(), self.waiting.since
        self.take_back()
        answer, self.reader, self.answer = self.reader, self.answer, self.reader
        if answer.remark is not None and self.writers.commits.remarked():
            log.warning("the database warns", message=answer.remark)
        if answer.sqlstate is not None:
            refused(self, batch, answer)
        elif answer.warned:
            log.error("a commit came with a warning; its outcome counts as unknown", leases=batch.count)
            self.writers.commits.failed(WARNED, "a commit came with a warning")
            self.writers.unknown += batch.abandon()
        else:
            try:
                self.writers.hear()  # what has come meanwhile goes along with the next statement
                self.writers.kick()
            finally:
                self.succeeded(batch, answer, seconds, began)
        self.writers.kick()

    def succeeded(self, batch: Batch, answer: AnswerReader, seconds: float, began: float) -> None:
        size = batch.count
        try:
            places = batch.committed(answer)
        except ValueError as error:
            log.error("lease writer lost the protocol", error=str(error))
            self.writers.unknown += batch.abandon()
            self.abort()
            return
        self.writers.commits.succeeded(size, seconds, began, wrote=len(places) < size)
        if places:
            look = asyncio.get_running_loop().create_task(self.look_again(batch, places))
            self.looks.add(look)
            look.add_done_callback(self.looked)

    async def look_again(self, batch: Batch, places: list[int]) -> None:
        try:
            await self.writers.losers(batch, places)
        except AWAY as error:
            log.warning("refused rows could not be read", error=reason(error))
        finally:
            self.writers.unknown += batch.abandon()  # what was not decided, if anything
        self.writers.kick()

    def looked(self, look: "asyncio.Task[None]") -> None:
        """One that failed in a way nobody foresaw must not be silent."""
        self.looks.discard(look)
        if not look.cancelled() and look.exception() is not None:
            log.error("second look at refused rows failed", exc_info=look.exception())
