"""Creation of the objects that a plan lacks on the server, in bulk requests, each all or none; and their removal by
id."""

import hashlib
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from typing import Any

import msgspec

from api.cli.importing.record import Line, Made, Record, Sent
from api.cli.site.comparing import path_of
from api.cli.site.making import Making, portions
from api.cli.site.steps import Step
from api.client import Client
from api.client.errors import ApiError
from api.importers.plan import COUNTED
from ipam_core.errors import IpamError
from ipam_core.model.bulk import MAX_OPERATIONS


@dataclass(eq=False)
class OverLimit(IpamError):
    """The import needs {wanted} managed addresses, and {left} of the limit of {limit} are free: {over} too many.
    Nothing was sent. Raise managed_address_limit on the server, or import fewer reservations
    """

    wanted: int
    left: int
    limit: int
    over: int


@dataclass(eq=False)
class NotRemoved(IpamError):
    """{what} cannot be removed: {reason}"""

    what: str
    reason: str


class Importing:
    """One import into one server. `on_done` hears how many objects each request made or removed."""

    def __init__(
        self, client: Client, record: Record, file: str, on_done: Callable[[int], None] = lambda _: None
    ) -> None:
        self.client = client
        self.record = record
        self.file = file
        self.on_done = on_done

    # --- making

    def perform(self, steps: list[Step]) -> None:
        making = Making(self.client, self.file)
        for some in portions(steps):
            operations = [making.with_ids(each.operation) for each in some]
            sent = Sent(self.key(operations), operations, [path_of(each.shape) for each in some])
            self.record.write(Line(sent=sent))
            try:
                answer = self.send(sent)
            except ApiError as error:
                raise making.refusal(error, some) from None
            for step, result in zip(some, answer["results"], strict=True):
                making.keep(step.operation or {}, result)
            self.on_done(len(some))

    def key(self, operations: list[dict[str, Any]]) -> str:
        """Return the key, the same for the same operations of the same import."""
        return hashlib.sha256(self.record.run.encode() + msgspec.json.encode(operations)).hexdigest()

    def send(self, sent: Sent) -> Any:
        """Raise ApiError where the server has made nothing of it."""
        body = {"operations": sent.operations, "dry_run": False}
        try:
            answer = self.client.post_once("/bulk", body, sent.key)
        except ApiError as error:
            if error.status < 500 and error.status != 429:
                self.record.write(Line(refused=sent.key))
            raise
        made = [
            Made(family, result["body"]["id"])
            for family, result in zip(sent.families, answer["results"], strict=True)
        ]
        self.record.write(Line(made=made))
        return answer

    def settle_open(self) -> str:
        """Send a request again whose answer never came, and report so where that tells nothing."""
        if self.record.open is None:
            return ""
        try:
            self.send(self.record.open)
        except ApiError as error:
            if error.status >= 500 or error.status in (401, 403, 429):
                raise
            return f"the last request of the previous run was refused: {error.message}"
        return ""

    # --- undoing

    def undo(self) -> int:
        """Remove what the record knows and the server still has, the last made first. Raises NotRemoved where others
        have made something below: nothing of that request is removed then."""
        there = {(each, row["id"]) for each in self.families() for row in self.client.items(f"/{each}")}
        left = [each for each in reversed(self.record.made) if (each.family, each.id) in there]
        for some in chunks(left):
            self.remove(some)
            self.on_done(len(some))
        self.record.remove()
        return len(left)

    def families(self) -> set[str]:
        return {each.family for each in self.record.made}

    def remove(self, some: list[Made]) -> None:
        operations = [{"op": "delete", "path": f"/{each.family}/{each.id}"} for each in some]
        try:
            self.client.post_once("/bulk", {"operations": operations, "dry_run": False})
        except ApiError as error:
            index = (error.details or {}).get("index")
            if not isinstance(index, int):
                raise
            found = some[index]
            children = (error.details or {}).get("children", "")
            reason = f"{error.message} {children}".strip()
            raise NotRemoved(f"{found.family} {found.id}", reason) from None


class Limit(msgspec.Struct, frozen=True):
    """Managed address limit of the server (0: none), and how many addresses it manages."""

    limit: int
    managed_ips: int

    @property
    def left(self) -> int:
        return max(self.limit - self.managed_ips, 0)


def limit_of(client: Client) -> Limit:
    told = client.request("GET", "/dashboard")
    return Limit(told["managed_ips_limit"], told["managed_ips"])


def check_cap(client: Client, steps: list[Step]) -> None:
    """Check the cap before anything is sent. Raises OverLimit."""
    wanted = sum(1 for each in steps if each.shape.family.name in COUNTED and has_address(each))
    found = limit_of(client)
    if found.limit and wanted > found.left:
        raise OverLimit(wanted, found.left, found.limit, wanted - found.left)


def chunks(made: list[Made]) -> Iterator[list[Made]]:
    for at in range(0, len(made), MAX_OPERATIONS):
        yield made[at : at + MAX_OPERATIONS]


def has_address(step: Step) -> bool:
    """Return whether it has an address or a prefix; where neither is given, the server finds an address."""
    body = (step.operation or {}).get("body") or {}
    return body.get("ip", "next free") is not None or bool(body.get("prefix"))
