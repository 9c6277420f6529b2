"""What `ipam apply` does: a file and the server's plan are compared, and the difference becomes bulk operations.

A file has a name, and what it makes bears that name as a mark at the end of its description: `[apply: NAME]`.
Objects are recognised by what makes them unique: prefixes and subnets by CIDR, pools and excludes by their range,
reservations by identity, options by code. Nothing that lacks the mark is changed or deleted; pools and options have
no description, so they are changed as their subnet's, but deleted only with `prune`.
"""

from collections.abc import Callable, Iterator, Mapping
from typing import Any, NamedTuple

from api.cli.spelling import in_one_spelling
from api.client import Client
from ipam_core.errors import IpamError, ValidationError

Fields = dict[str, Any]


class Kind(NamedTuple):
    """A family below another: its key fields, and whether its description can bear the mark."""

    family: str
    key: tuple[str, ...]
    marked: bool


PREFIXES = Kind("prefixes", ("cidr",), True)
SUBNETS = Kind("subnets", ("cidr",), True)
BELOW = (
    Kind("pools", ("start_ip", "end_ip"), False),
    Kind("excludes", ("start_ip", "end_ip"), True),
    Kind("reservations", ("mac", "duid", "client_id", "circuit_id", "remote_id", "subscriber_id"), True),
    Kind("options", ("family", "code", "vendor_class"), False),
)
DEFAULTS = {"family": 4}


class Step(NamedTuple):
    """One difference; `operation` None: it is only told."""

    sign: str
    what: str
    operation: Fields | None


class Site:
    """Compares one file with the server."""

    def __init__(
        self, client: Client, document: Any, prune: bool = False, on_entry: Callable[[], None] = lambda: None
    ) -> None:
        if not isinstance(document, dict) or not isinstance(document.get("name"), str):
            raise ValidationError("name", "is required: it marks what the file owns")
        unknown = set(document) - {"name", "prefixes"}
        if unknown:
            raise ValidationError(min(unknown), "there is no such field")
        self.client = client
        self.mark = f"[apply: {document['name']}]"
        self.document = document
        self.prune = prune
        self.on_entry = on_entry
        self.refs = 0

    def steps(self) -> list[Step]:
        """Deletions first, innermost first: what is new may take their place."""
        found = list(self.compare(PREFIXES, self.document, "/prefixes", {}, self.prefix_steps))
        return sorted(found, key=lambda step: step.sign != "-")

    # --- levels

    def prefix_steps(self, wanted: Fields, parent: str, stored: Fields | None) -> Iterator[Step]:
        filters = {"prefix_id": stored["id"]} if stored else None
        yield from self.compare(
            SUBNETS, wanted, "/subnets", filters, self.subnet_steps, {"prefix_id": parent}
        )

    def subnet_steps(self, wanted: Fields, parent: str, stored: Fields | None) -> Iterator[Step]:
        for kind in BELOW:
            path = f"/subnets/{parent}/{kind.family}"
            filters = {"subnet_id": stored["id"]} if stored else None
            yield from self.compare(kind, wanted, path, filters)

    def compare(
        self,
        kind: Kind,
        wanted: Mapping[str, Any],
        path: str,
        filters: Fields | None,
        below: Callable[[Fields, str, Fields | None], Iterator[Step]] | None = None,
        extra: Fields | None = None,
    ) -> Iterator[Step]:
        """One collection; `filters` None: what it stands below is new, so nothing is there."""
        rows = [] if filters is None else self.read(kind, filters)
        stored = {key_of(kind, row): row for row in rows}
        for entry in wanted.get(kind.family) or ():
            fields, children = split(kind, entry)
            fields = in_one_spelling(fields)
            row = stored.pop(key_of(kind, fields), None)
            step, reference = self.place(kind, path, fields, row, extra or {})
            if step:
                yield step
            self.on_entry()
            if below:
                yield from below(children, reference, row)
        for row in stored.values():
            yield from self.remove(kind, row, below)

    def read(self, kind: Kind, filters: Fields) -> list[Fields]:
        if kind.family == "options":
            return list(self.client.items(f"/subnets/{filters['subnet_id']}/options"))
        return list(self.client.items(f"/{kind.family}", **filters))

    # --- one object

    def place(
        self, kind: Kind, path: str, fields: Fields, row: Fields | None, extra: Fields
    ) -> tuple[Step | None, str]:
        """The step that makes the object as wanted, and how later paths refer to it."""
        what = label(kind, fields)
        if kind.marked:
            fields = fields | {"description": f"{fields.get('description', '')} {self.mark}".strip()}
        if row is None:
            self.refs += 1
            name = f"n{self.refs}"
            operation = {"op": "create", "path": path, "body": fields | extra, "ref": name}
            return Step("+", what, operation), f"${name}"
        if kind.marked and not self.owns(row):
            raise NotOwned(what, self.mark)
        changed = merge_patch({name: row.get(name) for name in fields}, fields)
        if not changed:
            return None, row["id"]
        operation = {"op": "update", "path": f"/{kind.family}/{row['id']}", "body": changed}
        return Step("~", f"{what}: {', '.join(sorted(changed))}", operation), row["id"]

    def remove(self, kind: Kind, row: Fields, below: Any) -> Iterator[Step]:
        """What stands below goes first, if it is the file's too; what is not keeps the rest alive by 409."""
        what = label(kind, row)
        if not (self.owns(row) if kind.marked else self.prune):
            if not kind.marked or below is None:
                yield Step("=", f"{what} is not in the file, and is left alone", None)
            return
        if below:
            yield from below({}, row["id"], row)
        yield Step("-", what, {"op": "delete", "path": f"/{kind.family}/{row['id']}"})

    def owns(self, row: Fields) -> bool:
        return str(row.get("description", "")).endswith(self.mark)


class NotOwned(IpamError):
    """{what} is there already and is not marked {mark}: this file may not change it"""

    def __init__(self, what: str, mark: str) -> None:
        super().__init__()
        self.what, self.mark = what, mark


def merge_patch(stored: Any, wanted: Any) -> Any:
    """The merge patch (RFC 7396) that makes the one of the other."""
    if not isinstance(stored, dict) or not isinstance(wanted, dict):
        return wanted
    gone = dict.fromkeys(name for name in stored if name not in wanted)
    changed = {name: value for name, value in wanted.items() if name not in stored or stored[name] != value}
    return gone | {name: merge_patch(stored.get(name), value) for name, value in changed.items()}


def split(kind: Kind, entry: Any) -> tuple[Fields, Fields]:
    """An entry's own fields, and the lists of what stands below it."""
    if not isinstance(entry, dict):
        raise ValidationError(kind.family, "must be a list of objects")
    below = {PREFIXES: {"subnets"}, SUBNETS: {each.family for each in BELOW}}.get(kind, set())
    own = {name: value for name, value in entry.items() if name not in below}
    return own, {name: value for name, value in entry.items() if name in below}


def count_entries(document: Any) -> int:
    """How many objects a file has; one that is no site is refused elsewhere."""
    if not isinstance(document, dict):
        return 0
    lists = [each for each in document.values() if isinstance(each, list)]
    entries = [entry for each in lists for entry in each if isinstance(entry, dict)]
    return len(entries) + sum(count_entries(below_of(entry)) for entry in entries)


def below_of(entry: Fields) -> Fields:
    families = {"subnets", *(kind.family for kind in BELOW)}
    return {name: value for name, value in entry.items() if name in families}


def key_of(kind: Kind, fields: Mapping[str, Any]) -> tuple[Any, ...]:
    return tuple(str(fields.get(name) or DEFAULTS.get(name, "")).lower() for name in kind.key)


def label(kind: Kind, fields: Mapping[str, Any]) -> str:
    names = " ".join(str(fields[name]) for name in kind.key if fields.get(name) is not None)
    return f"{kind.family} {names}"
