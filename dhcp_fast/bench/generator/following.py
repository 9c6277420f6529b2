"""Runs a storm in a thread of its own, so that the terminal shows progress and Ctrl-C works.

The storm holds no interpreter lock, so the main thread is free to draw; the bar appears after a second.
"""

import threading
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import Any

from rich.console import Console
from rich.progress import BarColumn, Progress, TextColumn, TimeElapsedColumn

from dhcp_fast import scheduling
from dhcp_fast.bench.generator.result import Result
from dhcp_fast.bench.generator.storm import Storm

QUIET_SECONDS = 1.0
REFRESH_SECONDS = 0.2


def drive(storm: Storm, console: Console, title: str = "", *, realtime: bool = False, **run: Any) -> Result:
    """Run `Storm.run` with these arguments. On Ctrl-C and the like the exchanges in flight end first."""
    results: list[Result] = []

    def work() -> None:
        if realtime:
            scheduling.begin(scheduling.SESSION)
        results.append(storm.run(**run))

    worker = threading.Thread(target=work, name="storm")
    worker.start()
    try:
        worker.join(QUIET_SECONDS)
        if worker.is_alive():
            follow(worker, storm, console, title, total=run.get("exchanges"))
    except BaseException:  # KeyboardInterrupt and SystemExit too: the thread must not outlive the call
        storm.stop()
        worker.join()
        raise
    return results[0]


def follow(worker: threading.Thread, storm: Storm, console: Console, title: str, total: int | None) -> None:
    with counting(console, title, total or None) as tell:
        while worker.is_alive():
            tell(storm.completed)
            time.sleep(REFRESH_SECONDS)


@contextmanager
def counting(console: Console, title: str, total: int | None) -> Iterator[Callable[[int], None]]:
    """Show a bar on a terminal for long work: it gets the finished part, of a total where that is known."""
    columns = (
        TextColumn("{task.description}"),
        BarColumn(),
        TextColumn("{task.completed:,}"),
        TimeElapsedColumn(),
    )
    with Progress(*columns, console=console, transient=True, disable=not console.is_terminal) as progress:
        task = progress.add_task(title, total=total)
        yield lambda done: progress.update(task, completed=done)
