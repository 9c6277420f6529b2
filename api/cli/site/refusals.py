"""All refusals of a bulk request, whose answer names the first alone: what is refused is left out with what depends on
it, and the rest is rehearsed again, within bounds."""

import time
from collections.abc import Callable, Collection, Iterator
from typing import Any, NamedTuple

from api.cli.site.steps import Step
from api.client.errors import ApiError

MOST_RUNS = 20
MOST_SECONDS = 20.0
"""After which no further rehearsal begins."""


class Refusal(NamedTuple):
    step: Step
    error: ApiError


class Refusals:
    """Refusals of some steps. `rehearse` sends steps as a dry run. `left_out`: values that identify objects which the
    file has and the steps do not. `is_whole`: whether all refusals were found."""

    def __init__(
        self, steps: list[Step], rehearse: Callable[[list[Step]], Any], left_out: Collection[str] = ()
    ) -> None:
        self.left_out = left_out
        self.left = steps
        self.rehearse = rehearse
        self.found: list[Refusal] = []
        self.gone: set[str] = set()
        self.is_whole = False

    def gather(self, first: ApiError) -> None:
        """Find the others behind the first. An error that names no operation ends the search."""
        ends = time.monotonic() + MOST_SECONDS
        error: ApiError | None = first
        for _ in range(MOST_RUNS):
            if error is None or not self.take(error):
                self.is_whole = error is None
                return
            if not self.left:
                self.is_whole = True
                return
            if time.monotonic() > ends:
                return
            error = self.refusal()

    def refusal(self) -> ApiError | None:
        try:
            self.rehearse(self.left)
        except ApiError as error:
            return error
        return None

    def take(self, error: ApiError) -> bool:
        """Keep a refusal, and leave out its operation and those that depend on it. Return whether it names one."""
        index = (error.details or {}).get("index")
        if not isinstance(index, int) or index >= len(self.left):
            return False
        step = self.left[index]
        if not self.follows(error):
            self.found.append(Refusal(step, error))
        self.leave_out(step)
        return True

    def follows(self, error: ApiError) -> bool:
        """Return whether an object is in the way only because the change that moves it was left out."""
        other = (error.details or {}).get("conflicts_with")
        if not isinstance(other, dict):
            return False
        return str(other.get("id")) in self.gone or any(str(each) in self.left_out for each in other.values())

    def leave_out(self, step: Step) -> None:
        out = [step]
        refs: set[str] = set()
        while out:
            for each in out:
                operation = each.operation or {}
                self.gone.add(operation["path"].partition("?")[0].rpartition("/")[2])
                refs |= {f"${operation['ref']}"} if "ref" in operation else set()
            self.left = [each for each in self.left if not any(each is other for other in out)]
            out = [each for each in self.left if refs & set(references(each.operation or {}))]


def references(value: Any) -> Iterator[str]:
    """Yield the `$name` of each object that an operation refers to."""
    if isinstance(value, str):
        yield from (word for word in value.split("/") if word.startswith("$"))
    elif isinstance(value, dict):
        for member in value.values():
            yield from references(member)
    elif isinstance(value, list):
        for member in value:
            yield from references(member)
