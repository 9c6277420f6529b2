"""The difference between a site file and the server, as steps.

What a file with a name makes or adopts ends its description with `[apply: NAME]`: several files then share a server,
and each owns what it made. A file without a name owns all that stands in the lists that it has.

What vanished from an entry goes back to its default. An object that vanished is left alone, or deleted with `prune`.
"""

import re
from collections.abc import Callable, Iterator
from typing import Any, NamedTuple

from api.cli.site.faults import Faults
from api.cli.site.matching import is_shortened, match
from api.cli.site.reading import SiteFile, Wanted
from api.cli.site.shapes import INSIDE, REFERRED, TENANT, TOP, Field, Shape, shapes_in
from api.cli.site.spelling import Fields
from api.cli.site.steps import Change, Step, in_turn
from api.cli.site.stored import GLOBAL, Server, Stored
from ipam_core.model.credential_url import concealed, host_alone
from ipam_core.model.families import FAMILIES

MARK = re.compile(r"\[apply: [^\]]*\]$")
PRUNE = "is not in the file: kept (--prune deletes it)"
FOREIGN = "is not in the file and was not created by it: kept"


class Place(NamedTuple):
    """Place of objects: the tenant, the family above (empty: the tenant as such), how paths name its object and people
    call it."""

    tenant: Fields
    family: str
    reference: str
    called: str


class Comparison:
    """Comparison of one file with one server. Raises SiteError where the file refers to what is nowhere, or to what is
    another file's."""

    def __init__(
        self, server: Server, site: SiteFile, prune: bool, on_entry: Callable[[], None] = lambda: None
    ) -> None:
        self.server = server
        self.site = site
        self.mark = f"[apply: {site.name}]" if site.name else ""
        self.prune = prune
        self.on_entry = on_entry
        self.faults = Faults(site.path)
        self.refs = 0

    def steps(self) -> list[Step]:
        """Return the steps in order: obstacles of others first, innermost first; objects that others refer to last."""
        found = list(self.compare_all())
        self.faults.refuse()
        return in_turn(found)

    def compare_all(self) -> Iterator[Step]:
        tenants = self.server.tenants()
        default = next((each for each in tenants if each.row["is_default"]), tenants[0])
        yield from self.of_tenant(default.row, self.site.below, at_top=True)
        entries = self.site.below.get(TENANT)
        if entries is None:
            return
        shape = shapes_in(TOP)[TENANT]
        pairs, left = match(shape, entries, tenants)
        for entry, stored in pairs:
            if stored and not self.may_own(entry, stored):
                continue
            step, reference = self.place(entry, stored, Place({}, "", "", ""))
            yield from step
            if stored is not None and stored.row["is_default"]:
                self.refuse_default_lists(entry)
            row = stored.row if stored else entry.fields | {"id": reference, "is_new": True}
            yield from self.of_tenant(row, entry.below)
        for gone in left:
            if not gone.row["is_default"]:
                yield from self.vanished(gone, at_top=True)

    def refuse_default_lists(self, entry: Wanted) -> None:
        for name, entries in entry.below.items():
            if entries and entries[0].shape.family.name not in GLOBAL:
                reason = "must be at the top of the file for the default tenant"
                self.faults.add(entry.line_of(name), entry.what, name, reason)

    def of_tenant(
        self, tenant: Fields, lists: dict[str, list[Wanted]], at_top: bool = False
    ) -> Iterator[Step]:
        """Yield the lists that the file has of a tenant; of those that it lacks nothing is said."""
        is_new = "is_new" in tenant
        if not is_new:
            self.server.know(tenant)
        for shape in shapes_in(TENANT).values():
            if shape.name not in lists:
                continue
            of_nobody = at_top and shape.family.name in GLOBAL
            objects = [] if is_new else self.server.of_tenant(shape, None if of_nobody else tenant)
            place = (
                Place(tenant, "", "", "")
                if at_top
                else Place(tenant, "", tenant["id"], f"tenant {tenant['name']}")
            )
            yield from self.compare(shape, in_order(shape, lists[shape.name]), objects, place)

    def compare(
        self, shape: Shape, entries: list[Wanted], objects: list[Stored], place: Place
    ) -> Iterator[Step]:
        pairs, left = match(shape, entries, objects)
        for gone in left:
            yield from self.vanished(gone, at_top=not place.family, inside=place.called)
        for entry, stored in pairs:
            self.on_entry()
            if stored is None:
                self.refuse_shortened(entry, left)
            if stored and not self.may_own(entry, stored):
                self.know(entry, stored.id, place)
                continue
            step, reference = self.place(entry, stored, place)
            yield from step
            inside = Place(place.tenant, shape.family.name, reference, shape.around(entry.fields))
            for below in shapes_in(shape.family.name).values():
                there = self.server.below(below, stored) if stored else []
                wanted = entry.below.get(below.name, [])
                if wanted or there:
                    yield from self.compare(below, wanted, there, inside)

    # --- one object

    def place(self, entry: Wanted, stored: Stored | None, place: Place) -> tuple[list[Step], str]:
        """Return what makes the object as wanted, and how later operations refer to it."""
        wanted = self.marked(entry)
        if stored is None:
            return self.make(entry, wanted, place)
        self.know(entry, stored.id, place)
        self.refuse_missing_credential(entry, wanted, stored.fields)
        changes = {
            name: Change(stored.fields[name], value)
            for name, value in wanted.items()
            if name in stored.fields and differs(entry.shape.fields[name], stored.fields[name], value)
        }
        return [self.change(entry, stored, changes, place)] if changes else [], stored.id

    def change(self, entry: Wanted, stored: Stored, changes: dict[str, Change], place: Place) -> Step:
        body = {
            entry.shape.fields[name].api_name: merge_patch(
                each.old, self.in_api_terms(entry, name, each.new, place)
            )
            for name, each in changes.items()
        }
        path = f"/{path_of(entry.shape)}/{stored.id}"
        operation = {"op": "update", "path": path, "body": body | entry.secrets}
        return Step(
            *(
                "update",
                entry.what,
                entry.line,
                shown(entry.shape, changes),
                operation,
                entry.shape,
                entry.lines,
            ),
            inside=place.called,
        )

    def make(self, entry: Wanted, wanted: Fields, place: Place) -> tuple[list[Step], str]:
        self.refuse_missing_credential(entry, wanted, {})
        self.refs += 1
        ref, shape = f"n{self.refs}", entry.shape
        said = {name: value for name, value in wanted.items() if value != shape.fields[name].default}
        body = {
            shape.fields[name].api_name: self.in_api_terms(entry, name, value, place)
            for name, value in said.items()
        }
        operation = {
            "op": "create",
            "path": create_path(shape, place),
            "body": body | entry.secrets | where(shape, place),
            "ref": ref,
        }
        self.know(entry, f"${ref}", place)
        fields = {name: Change(None, value) for name, value in said.items()}
        step = Step(
            *("create", entry.what, entry.line, shown(shape, fields), operation, shape, entry.lines),
            inside=place.called,
        )
        return [step], f"${ref}"

    def vanished(self, stored: Stored, at_top: bool, inside: str = "") -> Iterator[Step]:
        """Yield an object that is in no entry: what stands below it goes with it, each by its own step."""
        shape = stored.shape
        if not self.owns(stored):
            if not at_top:  # of a list that files share, what is not this one's is not its business
                yield Step("none", stored.what, 0, {}, None, shape, reason=FOREIGN, inside=inside)
            return
        if not self.prune:
            yield Step("none", stored.what, 0, {}, None, shape, reason=PRUNE, inside=inside)
            return
        for below in shapes_in(shape.family.name).values():
            for each in self.server.below(below, stored):
                yield from self.vanished(each, at_top=False, inside=shape.around(stored.fields))
        operation = {"op": "delete", "path": f"/{path_of(shape)}/{stored.id}"}
        yield Step("delete", stored.what, 0, {}, operation, shape, inside=inside)

    def refuse_missing_credential(self, entry: Wanted, wanted: Fields, stored: Fields) -> None:
        """Refuse an object whose URL or topic, which exports leave out, is neither stored nor in the file."""
        for name in sorted(entry.shape.credentials):
            if name not in wanted and not stored.get(name):
                reason = f"is required for the kind {wanted['kind']}; exports leave it out, because it is a credential"
                self.faults.add(entry.line, entry.what, name, reason)

    def refuse_shortened(self, entry: Wanted, left: list[Stored]) -> None:
        """Refuse a URL that is the host of several webhooks, one of which it may stand for."""
        url = entry.fields.get("url")
        if is_shortened(entry) and any(host_alone(each.fields["url"]) == url for each in left):
            reason = "is the host of several webhooks, as tables and non-admins see them: write the whole URL"
            self.faults.add(entry.line_of("url"), entry.what, "url", reason)

    # --- marks

    def marked(self, entry: Wanted) -> Fields:
        if not self.mark or not entry.shape.is_marked:
            return entry.fields
        said = f"{entry.fields['description']} {self.mark}".strip()
        return entry.fields | {"description": said}

    def owns(self, stored: Stored) -> bool:
        if not self.mark or not stored.shape.is_marked:
            return True
        return str(stored.fields["description"]).endswith(self.mark)

    def may_own(self, entry: Wanted, stored: Stored) -> bool:
        """Return whether the file may own the object: one without a mark is adopted; one with another file's is not."""
        found = MARK.search(str(stored.fields.get("description") or ""))
        if not self.mark or found is None or found[0] == self.mark:
            return True
        reason = f"is marked {found[0]}: it belongs to another file, so this one must not change it"
        self.faults.add(entry.line, entry.what, "", reason)
        return False

    # --- references

    def know(self, entry: Wanted, id_: str, place: Place) -> None:
        if entry.shape.family.name in REFERRED:
            self.server.ids[place.tenant["id"], entry.shape.family.name, entry.fields["name"]] = id_

    def in_api_terms(self, entry: Wanted, name: str, value: Any, place: Place) -> Any:
        """Return a value with ids for names; an unknown name is a fault."""
        refers = entry.shape.fields[name].refers
        if refers is None or value is None:
            return value
        if isinstance(value, list):
            return [self.in_api_terms(entry, name, each, place) for each in value]
        id_ = self.server.ids.get((place.tenant["id"], refers.name, value))
        if id_ is None:
            self.faults.add(entry.line_of(name), entry.what, name, f"there is no {refers.label} {value}")
        return id_


def in_order(shape: Shape, entries: list[Wanted]) -> list[Wanted]:
    """Return entries in an order in which a class precedes those that name it, which is that of priorities."""
    if shape.family.name != "client-classes":
        return entries
    return sorted(entries, key=lambda entry: int(entry.fields["priority"]))


def path_of(shape: Shape) -> str:
    """Return where its objects are found: global options are options."""
    return "options" if shape.family.name == "global-options" else shape.family.name


def create_path(shape: Shape, place: Place) -> str:
    if place.family in shape.family.above:
        return f"/{place.family}/{place.reference}/{shape.family.below or shape.family.name}"
    return f"/{shape.family.name}"


def where(shape: Shape, place: Place) -> Fields:
    """Return members of a new object's body that say where it stands, if its path does not."""
    if place.family in shape.family.above or not place.reference:
        return {}
    return {FAMILIES[INSIDE.get(shape.family.name, TENANT)].key: place.reference}


def differs(field: Field, old: Any, new: Any) -> bool:
    """Return whether a value is another one. What readers without the right see of a URL is no other URL."""
    if field.name == "url" and field.credential and old and new == host_alone(old):
        return False
    return bool(old != new)


def shown(shape: Shape, changes: dict[str, Change]) -> dict[str, Change]:
    """Return changes as outputs show them: without credentials."""
    return {
        name: Change(*(concealed(name, each) for each in change)) if name in shape.credentials else change
        for name, change in changes.items()
    }


def merge_patch(old: Any, new: Any) -> Any:
    """Return the patch (RFC 7396) that makes the one of the other."""
    if not isinstance(old, dict) or not isinstance(new, dict):
        return new
    gone: Fields = dict.fromkeys(old.keys() - new.keys())
    return gone | {
        name: merge_patch(old.get(name), value) for name, value in new.items() if old.get(name) != value
    }
