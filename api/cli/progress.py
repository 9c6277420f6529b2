"""Progress on a terminal, for what takes more than a second: how many of how many. A pipe sees nothing of it."""

import time
from types import TracebackType
from typing import Self

from rich.console import Console
from rich.progress import BarColumn, MofNCompleteColumn, Progress, SpinnerColumn, TextColumn

from ipam_core.printing import is_plain

PATIENCE = 1.0


class Counting:
    """Counts up; the bar comes when the work has taken its second, and goes when it is done."""

    def __init__(self, title: str, total: int | None = None, console: Console | None = None) -> None:
        columns = (SpinnerColumn(), TextColumn("{task.description}"), BarColumn(), MofNCompleteColumn())
        screen = console or Console(stderr=True, color_system=None if is_plain() else "auto")
        self.bar = Progress(*columns, console=screen, transient=True)
        self.task = self.bar.add_task(title, total=total)
        self.began = time.monotonic()

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        if self.bar.live.is_started:
            self.bar.stop()

    def advance(self, title: str | None = None, by: int = 1) -> None:
        self.bar.update(self.task, advance=by, description=title)
        if self.bar.console.is_terminal and time.monotonic() - self.began >= PATIENCE:
            self.bar.start()
