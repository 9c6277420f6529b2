"""Scheduler for when a lease statement begins, and how many operations it takes along.

Operations that become ready during a commit are the next batch. So an idle server answers after one
commit, and a busy one writes hundreds of leases per commit, without a timer (engine rule 6). A
statement costs as much as a dozen rows: while one is under way, another begins only for many
operations, or when the first takes long.
"""

import asyncio
from collections.abc import Callable
from functools import partial

import asyncpg
import structlog

from dhcp_fast.database.leases.blockers import Blocker, in_words, read_blockers
from dhcp_fast.database.leases.commit_stats import CommitStats
from dhcp_fast.database.leases.grant_backoff import GrantBackoff
from dhcp_fast.database.leases.lease_session import IsKnown
from dhcp_fast.database.leases.lease_writer import Writer
from dhcp_fast.database.leases.writer_group import Losers
from dhcp_fast.engine.batch import Batch, take_batch
from dhcp_fast.engine.configure import be_cautious
from dhcp_fast.engine.engine import Engine

SESSIONS = 2
MOST_IN_A_BATCH = 384
WORTH_A_STATEMENT = 64  # beside one that is under way
WORTH_A_PART = 32
BLOCKED_SECONDS = 1.0
PATIENCE_SECONDS = 0.02

log = structlog.get_logger()


class LeaseWriters:
    """The writers of one engine: `run` them, `kick` after packets were received.

    `receive` is called when the sockets should be read before the next statement,
    `missing_partition` when the history has no partition for a row. `sessions` are for queries, not
    for the writers. `unknown` contains (tenant_no, address as a number, subnet_no) of rows without
    a known outcome; the code that has read them removes them.
    """

    def __init__(
        self,
        dsn: str,
        engine: Engine,
        node_no: int,
        losers: Losers,
        is_known: IsKnown,
        sessions: asyncpg.Pool,
        *,
        realtime: bool,
    ) -> None:
        self.engine = engine
        self.node_no = node_no
        self.losers = losers
        self.is_known = is_known
        self.sessions = sessions
        self.realtime = realtime
        self.receive: Callable[[], object] = lambda: None  # take in the packets that have come
        self.writers = [Writer(dsn, self) for _ in range(SESSIONS)]
        self.halved: list[Batch] = []
        self.held = False  # nothing is written before `resume`
        self.missing_partition: Callable[[], object] = lambda: None
        self.turn = 0  # the statement that was written last
        self.impatience: asyncio.TimerHandle | None = None
        self.under_way = 0  # statements
        self.unknown: list[tuple[int, int, int]] = []
        self.commits = CommitStats(engine.set_unsure)
        self.blockers: list[Blocker] = []
        self.backoff = GrantBackoff(partial(be_cautious, engine))

    async def run(self) -> None:
        """Keep every connection until canceled.

        Raises UnsafeServer, in a group, if the database must not hold leases.
        """
        async with asyncio.TaskGroup() as keepers:
            for writer in self.writers:
                keepers.create_task(writer.run())

    @property
    def connected(self) -> bool:
        return any(writer.connected for writer in self.writers)

    def not_ready(self) -> str:
        """Return why leases cannot be committed; empty when they can."""
        if not self.connected:
            return "no lease writer is connected to the database"
        if hung := self.hung():
            return f"a commit of leases has been waiting for {hung:.0f} s{in_words(self.blockers)}"
        if refusal := self.commits.refused():
            return f"the database refuses leases: {refusal}"
        return ""

    def hung(self) -> float:
        """Return for how many seconds the slowest commit has been under way, if they are too many; else 0."""
        return max(writer.waiting.hung() for writer in self.writers)

    async def look_at_blockers(self, connection: asyncpg.Connection) -> None:
        """Look at the holders of locks that a commit waits for, if one waits for long; else only whether the database
        answers."""
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
        """Give every idle writer the operations that are ready and worth a statement; a batch that
        is divided among them begins at once.
        """
        if self.can_wait():
            return
        worth = WORTH_A_STATEMENT
        for writer in self.writers:
            if writer.idle:
                if not self.worth_a_statement(worth):
                    return
                self.feed(writer)
                worth = WORTH_A_PART

    def connect_anew(self) -> None:
        """End every session that has nothing under way: their statements are those of tables that are gone."""
        for writer in self.writers:
            if writer.idle:
                writer.abort()

    def hold(self) -> None:
        """Hold the writers, because the history has no partition: wait until somebody makes it and calls `resume`."""
        self.held = True
        self.missing_partition()

    def resume(self) -> None:
        self.held = False
        self.kick()

    def can_wait(self) -> bool:
        """Return whether to wait for the end of the current commit or for `look`, because few
        operations are ready; most calls end here, so it uses little Python.
        """
        if self.halved or self.held:
            return self.held
        ready = self.engine.ready_in_all()
        return not ready or (self.under_way > 0 and ready < WORTH_A_STATEMENT and self.impatience is not None)

    def worth_a_statement(self, worth: int) -> bool:
        """Return whether the operations are worth a statement: a few wait for the commit that is under way, but not for
        one that takes long."""
        ready = self.engine.ready_in_all()
        if self.halved or ready >= worth:
            return True
        if ready and self.is_soon_done():
            self.look_later()
            return False
        return ready > 0

    def is_soon_done(self) -> bool:
        """Return whether there is a commit under way that has not taken long."""
        return any(
            writer.batch is not None and writer.waiting.seconds() < PATIENCE_SECONDS
            for writer in self.writers
        )

    def look_later(self) -> None:
        """Look again when the youngest commit under way takes long; one that ends takes the timer with it (`ended`)."""
        if self.impatience is None:
            youngest = min(writer.waiting.seconds() for writer in self.writers if writer.batch is not None)
            self.impatience = asyncio.get_running_loop().call_later(PATIENCE_SECONDS - youngest, self.look)

    def look(self) -> None:
        self.impatience = None
        self.kick()

    def ended(self) -> None:
        """Note that a statement is over: operations that waited for it need not, even if another session hangs."""
        self.under_way -= 1
        if self.impatience is not None:
            self.impatience.cancel()
            self.impatience = None

    def feed(self, writer: Writer) -> None:
        batch = self.halved.pop().in_time() if self.halved else self.next_batch()
        if batch is not None:
            writer.write(batch)

    def next_batch(self) -> Batch | None:
        """Return each statement that has something ready in its turn: a flood of new clients starves no renewal."""
        ready = self.engine.ready()
        for _ in ready:
            self.turn = (self.turn + 1) % len(ready)
            if ready[self.turn]:
                return take_batch(self.engine, self.turn, self.share(ready[self.turn]))
        return None

    def share(self, ready: int) -> int:
        """Return the share of a writer: idle ones divide the ready operations, but not into parts of a few."""
        idle = sum(writer.idle for writer in self.writers)
        parts = max(min(idle, ready // WORTH_A_PART), 1)
        return min(-(-ready // parts), MOST_IN_A_BATCH)
