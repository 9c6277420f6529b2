"""Steps as bulk requests: one takes up to a thousand operations, all of them or none. Of more, each thousand is made by
itself; where that is cut short, the same file applied again makes the rest."""

from collections.abc import Callable, Collection, Iterator
from functools import partial
from typing import Any

import msgspec

from api.cli.site.faults import Fault, SiteError
from api.cli.site.refusals import Refusal, Refusals
from api.cli.site.spelling import Fields
from api.cli.site.steps import Step
from api.client import Client
from api.client.errors import ApiError
from ipam_core.model.bulk import MAX_OPERATIONS

MOST_OCTETS = 1_500_000  # a bulk takes 2 MiB


class Making:
    """Sender of a file's changes. `warn` hears the warnings of an object that is made or changed, or would be;
    `on_done` what each request has made."""

    def __init__(
        self,
        client: Client,
        file: str,
        warn: Callable[[Step, list[str]], None] = lambda *_: None,
        on_done: Callable[[list[Step]], None] = lambda _: None,
        left_out: Collection[str] = (),
    ) -> None:
        self.left_out = left_out
        self.client = client
        self.file = file
        self.warn = warn
        self.on_done = on_done
        self.ids: dict[str, str] = {}

    def perform(self, steps: list[Step]) -> None:
        for some in portions(steps):
            answer = self.send(some, dry_run=False)
            for step, result in zip(some, answer["results"], strict=True):
                self.keep(step.operation or {}, result)
            self.on_done(some)

    def rehearse(self, steps: list[Step]) -> tuple[Fields | None, int]:
        """Let the server check the first request's operations, and nothing is changed: the impact that it tells, and
        how many were checked. Later ones stand on what these would make."""
        some = next(portions(steps), [])
        return (self.send(some, dry_run=True).get("impact") if some else None), len(some)

    def send(self, steps: list[Step], dry_run: bool) -> Any:
        try:
            answer = self.post(steps, dry_run)
        except ApiError as error:
            raise self.refusal(error, steps) from None
        for step, result in zip(steps, answer["results"], strict=True):
            self.warn(step, (result.get("body") or {}).get("warnings", []))
        return answer

    def post(self, steps: list[Step], dry_run: bool) -> Any:
        operations = [self.with_ids(step.operation) for step in steps]
        body = {"operations": operations, "dry_run": dry_run}
        send = partial(self.client.request, "POST") if dry_run else self.client.post_once
        return send("/bulk", body)

    def refusal(self, error: ApiError, steps: list[Step]) -> Exception:
        """Return the error with the places in the file of all that the server refuses; the error itself if it is about
        no object of the file."""
        refusals = Refusals(steps, partial(self.post, dry_run=True), self.left_out)
        refusals.gather(error)
        if not refusals.found:
            return error
        faults = sorted({fault_of(each) for each in refusals.found})
        if not refusals.is_whole:
            faults.append(Fault(0, "", "", UNSEARCHED))
        return SiteError(self.file, faults)

    def keep(self, operation: Fields, result: Fields) -> None:
        if "ref" in operation and result["body"]:
            self.ids[f"${operation['ref']}"] = result["body"]["id"]

    def with_ids(self, value: Any) -> Any:
        """Return the operation with ids of objects that earlier requests have made."""
        if isinstance(value, str):
            head, slash, tail = value.partition("/$")
            if slash:
                name, rest, below = f"${tail}".partition("/")
                return f"{head}/{self.ids.get(name, name)}{rest}{below}"
            return self.ids.get(value, value)
        if isinstance(value, dict):
            return {name: self.with_ids(member) for name, member in value.items()}
        if isinstance(value, list):
            return [self.with_ids(member) for member in value]
        return value


def portions(steps: list[Step]) -> Iterator[list[Step]]:
    """Yield portions with as many of each as one request takes."""
    some: list[Step] = []
    size = 0
    for step in steps:
        octets = len(msgspec.json.encode(step.operation))
        if some and (len(some) == MAX_OPERATIONS or size + octets > MOST_OCTETS):
            yield some
            some, size = [], 0
        some.append(step)
        size += octets
    if some:
        yield some


UNSEARCHED = "the server may refuse more: apply the file again when these are corrected"


def fault_of(refusal: Refusal) -> Fault:
    """Return a refusal with the place of its object in the file."""
    step, details = refusal.step, refusal.error.details or {}
    field = step.shape.field_of(str(details.get("field", "")).split(".")[0].split("[")[0])
    line = (step.lines or {}).get(field, step.line)
    return Fault(line, step.what, "", refusal.error.message + in_the_way(details))


def in_the_way(details: Fields) -> str:
    """Return the object that a conflict names."""
    other = details.get("conflicts_with")
    if not isinstance(other, dict):
        return ""
    told = " ".join(f"{name}={value}" for name, value in other.items() if name != "id" and value is not None)
    return f" (in the way: {told})"
