"""Handling of a batch whose statement PostgreSQL refused: it had no effect.

A deadlock is retried, and a row that is unknown in memory is read. A value that cannot be stored is
one row's fault: the batch is halved until that row is found (engine rule 10). Only `lease` itself
can have such a fault: if the history has no partition for the day, the batch waits until there is
one (rule 23). After a restore the prepared statements refer to types that are gone: all writers
reconnect, and the batch is written then.
"""

import structlog

from dhcp_fast.database.leases.writer_group import WriterGroup
from dhcp_fast.engine.batch import Batch
from dhcp_fast.pg.bind import AnswerReader
from ipam_core.db.outage import is_outdated

GRANTS = 3  # as the queue numbers the statements
ROW_EXISTS = "23505"
NO_PARTITION = "23514"
RETRY = {"40P01", "40001"}  # deadlock, serialization failure: no effect, and the next try may succeed
DATA, CONSTRAINT = "22", "23"  # classes of errors that one row's values cause

log = structlog.get_logger()


def refused(group: WriterGroup, batch: Batch, answer: AnswerReader) -> bool:
    """Put the operations of the batch where they belong, after an ErrorResponse. False: the session is of no use."""
    sqlstate, error = answer.sqlstate or "", answer.error or ""
    if sqlstate in RETRY:
        group.commits.retried()
        batch.requeue()
    elif sqlstate == ROW_EXISTS and batch.statement == GRANTS:
        group.backoff.surprised()
        batch.bind()
    elif is_outdated(sqlstate, error):
        log.warning(
            "the tables were replaced, as by a restore; lease writers connect anew", leases=batch.count
        )
        group.commits.retried()
        batch.requeue()
        group.connect_anew()
        return False
    elif is_one_rows_fault(sqlstate, answer.table):
        halve(group, batch, sqlstate, error)
    else:
        log.error("lease statement failed", sqlstate=sqlstate, error=error, leases=batch.count)
        group.commits.failed(sqlstate, error)
        batch.requeue()
        if sqlstate != NO_PARTITION or answer.constraint:
            return False
        group.hold()
    return True


def is_one_rows_fault(sqlstate: str, table: str | None) -> bool:
    return sqlstate.startswith(DATA) or (sqlstate.startswith(CONSTRAINT) and table == "lease")


def halve(group: WriterGroup, batch: Batch, sqlstate: str, error: str) -> None:
    """Find the row that PostgreSQL cannot take; the others are served."""
    if batch.count > 1:
        group.halved += batch.halves()
        return
    address = batch.refuse_row()
    log.error("the database refused a lease row", sqlstate=sqlstate, error=error, address=address)
