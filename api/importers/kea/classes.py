"""Kea's client-classes. One whose test the conditions cannot say is not made: it would catch other clients."""

import re

from api.importers.conditions import MAC, CannotSay, mentions
from api.importers.kea import expressions
from api.importers.kea.context import described
from api.importers.kea.options import OptionReader
from api.importers.options import into_fields
from api.importers.plan import Fields, Planner
from api.importers.source import Entry
from ipam_core.dhcp.conditions import classes_named
from ipam_core.errors import ValidationError

DROP = "DROP"
BOOT = {"next-server": "next_server", "boot-file-name": "boot_file", "server-hostname": "server_name"}
NOWHERE = ("", "0.0.0.0")  # noqa: S104 - Kea's way to say none


class ClassReader:
    """`names`: the classes that the plan makes."""

    def __init__(self, planner: Planner, options: OptionReader) -> None:
        self.planner = planner
        self.options = options
        self.names: set[str] = set()

    def read(self, entries: list[Entry]) -> None:
        """Read the classes in Kea's order, which is the order of their priority."""
        for at, entry in enumerate(entries):
            if not (entry.get("name") == DROP and self.denied(entry)):
                self.make(entry, priority=at + 1)

    def denied(self, entry: Entry) -> bool:
        """Return the classes that deny by themselves, if DROP is for the members of classes alone and gives nothing."""
        test, found = entry.get("test"), self.planner.plan.objects
        names = re.findall(r"member\('([^']+)'\)", test) if isinstance(test, str) else []
        if test != " or ".join(f"member('{each}')" for each in names) or not self.names.issuperset(names):
            return False
        for each in found:
            if each.family == "client-classes" and each.fields["name"] in names:
                each.fields["deny"] = True
        for name in ("name", "test"):
            entry.text(name)
        return bool(names)

    def make(self, entry: Entry, priority: int) -> None:
        name = entry.text("name") or ""
        template, test = entry.text("template-test"), entry.text("test")
        try:
            fields = self.template(template) if template is not None else self.criteria(test or "")
        except (CannotSay, ValidationError) as reason:
            entry.tell()
            line = entry.line_of("test" if template is None else "template-test")
            why = (
                f"its test cannot be written as conditions ({reason}); objects for this class are not created"
            )
            self.planner.warn(line, "manual", f"class {name}", why)
            return
        fields |= {"name": name, "priority": priority} | boot_of(entry) | described(entry, "priority")
        if name == DROP:
            fields["deny"] = True
        options = self.options.read(entry)
        rest = into_fields(options, fields, boot_only=True) if self.options.family == 4 else options
        made = self.planner.add("client-classes", entry.line, fields, lines=entry.lines)
        if made:
            self.names.add(name)
            self.options.place(rest, made)

    def criteria(self, test: str) -> Fields:
        if not test:
            raise CannotSay("it has none: a hook, a reservation or another file selects its clients")
        tree, criteria = expressions.tree_of(test, self.options.family)
        unknown = classes_named(tree) - self.names if tree is not None else set()
        if unknown:
            raise CannotSay(f"there is no class {', '.join(sorted(unknown))} before it")
        return criteria | ({"match": tree} if tree is not None else {})

    def template(self, test: str) -> Fields:
        """Return the template: the value read of the packet makes a class of each value; ours reads the same part."""
        reader = expressions.Reader(expressions.split(test), self.options.family)
        part = reader.part()
        if reader.peek() or mentions(part, {MAC, expressions.NIBBLE}):
            raise CannotSay("a template reads one part of the packet")
        return {"match": part | {"exists": True}, "template": True}

    def chosen(self, entry: Entry, what: str) -> str | None:
        """Return the class for which a pool or a subnet is. Raises CannotSay where it is none that the plan has."""
        names = [each for each in (entry.text("client-class"), *entry.texts("client-classes")) if each]
        if not names:
            return None
        if names[0] not in self.names:
            raise CannotSay(f"is for the class {names[0]}, which the plan does not have")
        for name in names[1:]:
            why = f"is for the class {names[0]} alone, and not for {name} too"
            self.planner.warn(entry.line_of("client-classes"), "approximated", what, why)
        return names[0]


def boot_of(entry: Entry) -> Fields:
    """Return the boot fields; Kea writes unset ones as an empty text or zeros."""
    found = {ours: entry.text(name) for name, ours in BOOT.items()}
    return {name: value for name, value in found.items() if value is not None and value not in NOWHERE}
