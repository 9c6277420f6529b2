"""A checkpoint of PostgreSQL within a measured step, so that the step has a whole cycle of them.

After a checkpoint the first change of every page writes the whole page to the log: hot pages are
soon cheap, a large table is expensive for long. A step that begins after one checkpoint and ends
after the next one includes both: the expensive changes, and the writing.
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
    """A checkpoint before the block, and one `after` so many seconds of it, as fast as the disk allows.

    `seconds` is the duration of the second one; None: it was not over at the end of the block.
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
