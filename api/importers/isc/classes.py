"""Classes of dhcpd.conf, and for whom pools are. What conditions cannot say is not made: it would be for others too."""

from api.importers.conditions import CannotSay, Tree
from api.importers.isc import expressions
from api.importers.isc.options import OptionReader
from api.importers.isc.syntax import Statement
from api.importers.options import by_code, into_fields
from api.importers.plan import Fields, Planner
from ipam_core.errors import ValidationError

KNOWN = {
    ("allow", "known"): True,
    ("deny", "unknown"): True,
    ("allow", "unknown"): False,
    ("deny", "known"): False,
}
SETTINGS = {"next-server": "next_server", "filename": "boot_file", "server-name": "server_name"}


class ClassReader:
    """`names`: the classes that the plan has."""

    def __init__(self, planner: Planner, options: OptionReader) -> None:
        self.planner = planner
        self.options = options
        self.names: set[str] = set()

    def read(self, every: list[Statement]) -> None:
        values: dict[str, list[Statement]] = {}
        for each in every:
            if each.name == "subclass":
                values.setdefault(each.word(1), []).append(each)
        for each in every:
            if each.name == "class" and each.block is not None:
                self.make(each, values.get(each.word(1), []))

    def make(self, statement: Statement, subclasses: list[Statement]) -> None:
        name = statement.word(1)
        try:
            fields = self.criteria(statement.block or [], subclasses)
        except (CannotSay, ValidationError) as reason:
            why = f"its clients cannot be selected by conditions ({reason}); objects for this class are not created"
            for each in (statement, *subclasses):
                self.options.tell(each, "manual", f"class {name}", why)
            return
        statement.settle("read")
        said = [each for each in statement.block or () if each.name == "option"]
        options = by_code(self.options.read(each) for each in said)
        for each in statement.block or ():
            if each.name in SETTINGS and self.options.family == 4:
                each.settle("read")
                fields[SETTINGS[each.name]] = each.word(1)
        rest = into_fields(options, fields, boot_only=True) if self.options.family == 4 else options
        self.add(statement, name, fields)
        made = self.planner.plan.objects[-1] if name in self.names else None
        for option in rest.values() if made else ():
            self.planner.add("options", option.line, option.fields, made)

    def add(self, statement: Statement, name: str, fields: Fields) -> None:
        fields |= {"name": name, "priority": len(self.names) + 1}
        if name not in self.names and self.planner.add("client-classes", statement.line, fields):
            self.names.add(name)

    def criteria(self, block: list[Statement], subclasses: list[Statement]) -> Fields:
        asked = [each for each in block if each.name == "match"]
        spawned = [each for each in block if each.starts("spawn", "with")]
        if len(asked) + len(spawned) != 1:
            raise CannotSay("one match or spawn with is needed")
        for each in asked + spawned:
            each.settle("read")
        if spawned:
            part = expressions.leaf_of(spawned[0].words[2:], self.options.definition)
            return {"match": part | {"exists": True}, "template": True}
        if asked[0].word(1) == "if":
            tree, criteria = expressions.tree_of(asked[0].words[2:], self.options.definition)
            return criteria | ({"match": tree} if tree is not None else {})
        return {"match": self.of_subclasses(asked[0], subclasses)}

    def of_subclasses(self, asked: Statement, subclasses: list[Statement]) -> Tree:
        part = expressions.leaf_of(asked.words[1:], self.options.definition)
        if not subclasses or any(each.block is not None or len(each.words) != 3 for each in subclasses):
            raise CannotSay("it has no subclasses, or some with options of their own")
        values = [expressions.value_of(each.words[2]) for each in subclasses]
        for each in subclasses:
            each.settle("read")
        return expressions.values_in(part, values)

    # --- pools

    def permitted(self, pool: Statement) -> str | None:
        """Return the class for which a pool is, made where there is none. Raises CannotSay."""
        said = [each for each in pool.block or () if each.name in ("allow", "deny")]
        if not said:
            return None
        kinds = [(each.name, each.word(1).partition("-")[0]) for each in said]
        if len(said) == 1 and kinds[0] in KNOWN:
            said[0].settle("read")
            known = KNOWN[kinds[0]]
            return self.made(pool, "known clients" if known else "unknown clients", {"known": known})
        if any(
            not each.starts(each.name, "members", "of") or each.word(3) not in self.names for each in said
        ):
            raise CannotSay(
                "allow and deny are taken over of classes that the plan has, or of known clients alone"
            )
        for each in said:
            each.settle("read")
        allowed = [each.word(3) for each in said if each.name == "allow"]
        denied = [each.word(3) for each in said if each.name == "deny"]
        if len(allowed) == 1 and not denied:
            return allowed[0]
        return self.made(
            pool, " ".join([*allowed, *(f"not {each}" for each in denied)]), {"match": tree(allowed, denied)}
        )

    def made(self, pool: Statement, name: str, fields: Fields) -> str:
        self.add(pool, name, fields)
        if name not in self.names:
            raise CannotSay(f"there can be no class {name}")
        return name


def tree(allowed: list[str], denied: list[str]) -> Tree:
    parts: list[Tree] = [{"any": [{"class": each} for each in allowed]}] if allowed else []
    parts += [{"not": {"class": each}} for each in denied]
    return parts[0] if len(parts) == 1 else {"all": parts}
