"""A checkpoint of PostgreSQL within a measured step, so that the step has a whole cycle of them.

After a checkpoint the first change of every page goes into the log with the whole page; what is changed most often is
soon cheap, and a large table is dear for long. A step that begins after one checkpoint and goes on when the next one
has written everything has seen both: the dear changes, and the writing.
"""

import asyncio
import threading
import time
from types import TracebackType
from typing import Self

from ipam_core.db.connect import connect


def checkpoint(dsn: str) -> None:
    asyncio.run(run_checkpoint(dsn))


async def run_checkpoint(dsn: str) -> None:
    connection = await connect(dsn)
    try:
        await connection.execute("checkpoint")
    finally:
        await connection.close()


class Checkpoint:
    """One before the block, and one `after` so many seconds of it, as fast as the disk allows.

    `seconds` is how long that one took, None: it was not over at the end of the block.
    """

    def __init__(self, dsn: str, after: float) -> None:
        self.dsn = dsn
        self.after = after
        self.seconds: float | None = None
        self.left = threading.Event()
        self.thread = threading.Thread(target=self.run, name="checkpoint")

    def __enter__(self) -> Self:
        checkpoint(self.dsn)
        self.thread.start()
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self.left.set()
        self.thread.join()

    def run(self) -> None:
        self.left.wait(self.after)
        began = time.monotonic()
        checkpoint(self.dsn)
        if not self.left.is_set():
            self.seconds = round(time.monotonic() - began, 2)
