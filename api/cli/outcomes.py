"""Objects that a command has created, changed or deleted, in a line; of a new object also the fields that were given or
differ from their defaults. `--json` prints the whole object instead.

A secret comes first, because it is shown this once.
"""

import sys
from collections.abc import Collection, Iterator, Mapping
from typing import Any

import msgspec

from api.cli.cells import text
from api.cli.impact import clauses, counted, rehearse, tell_rehearsal
from api.cli.names import Names, item_path
from api.cli.shapes import called, referred
from api.cli.tables import show_one
from api.cli.titles import title
from api.client import ApiError, Client
from ipam_core.model.families import FAMILIES, Family, in_words, words
from ipam_core.printing import confirm, say

Fields = dict[str, Any]

SECRETS = {"token": "token", "secret": "signing secret"}
"""Fields that one answer alone contains."""
LEASING = words("subnets pools excludes reservations assignments client-classes")
"""Families on whose objects it depends whether clients keep their addresses."""
TAKING = words("excludes reservations assignments")
"""Those of which a new object can take an address from a client."""
ALONE = ("tokens", "nodes")
"""Families whose deletion affects nothing else and has no dry run."""
UNSHOWN = ("id", "created_at", "updated_at", "utilisation", "as_of", *SECRETS)
LONGEST = 60
"""Characters of a value in a line about changes."""


def tell_made(
    family: Family, made: Fields, given: Collection[str], as_json: bool, names: Names, more: str = ""
) -> None:
    """Print a new object. `given`: fields of the request; `more`: effects on others."""
    if as_json:
        show_one(made, as_json)
        return
    tell_secrets(made)
    say(f"created {title(family, made)}{more}")
    rows = {called(name): shown(name, made[name], names) for name in told_fields(family, made, given)}
    if "tenant_id" not in given and rows.get("tenant") == "default":
        del rows["tenant"]
    rows["id"] = str(made.get("id", ""))
    width = max(map(len, rows))
    for name, value in rows.items():
        say(f"{name:{width}}  {value}".rstrip())
    for hint in hints(family, made):
        say(hint, err=True)


def tell_secrets(answer: Mapping[str, Any]) -> None:
    """Print the secrets of an answer, and that they are in no other."""
    for name, label in SECRETS.items():
        if answer.get(name):
            say(f"{label}: {answer[name]}")
            say(f"Store the {label} now: it is shown only once.", err=True)


def told_fields(family: Family, made: Mapping[str, Any], given: Collection[str]) -> Iterator[str]:
    """Yield the fields that were given, then those that are not the default."""
    usual = defaults(family)
    yield from (name for name in made if name in given and name not in UNSHOWN)
    for name, value in made.items():
        if (
            name not in given
            and name not in UNSHOWN
            and (value if name not in usual else value != usual[name])
        ):
            yield name


def defaults(family: Family) -> Fields:
    """Return the defaults of the fields that a client can give, as JSON has them."""
    return {
        field.encode_name: msgspec.json.decode(msgspec.json.encode(field.default))
        for field in msgspec.structs.fields(family.new)
        if field.default is not msgspec.NODEFAULT and field.default is not msgspec.UNSET
    }


def shown(name: str, value: Any, names: Names) -> str:
    """Return a value in words; an id as the name of its object."""
    family = referred(name)
    if family is None or not value:
        return text(value, name)
    each = value if isinstance(value, list) else [value]
    return ",".join(text(names.label(family, str(id_))) for id_ in each)


def hints(family: Family, made: Mapping[str, Any]) -> Iterator[str]:
    """Yield what is probably needed next."""
    if family.name == "dns-zones" and not made["dns_enabled"] and not made["dns_server_id"]:
        command = f"ipam update dns-zones {made['name']} dns_enabled=true"
        yield f"This zone is not served yet. To serve it with ipam dns: {command}"


# --- changes


def tell_changed(
    family: Family, before: Fields, after: Fields, as_json: bool, names: Names, more: str = ""
) -> None:
    """Print which fields of an object are now different. `more`: effects on others."""
    if as_json:
        show_one(after, as_json)
        return
    tell_secrets(after)
    changes = [
        f"{called(name)} {brief(name, before.get(name), names)} -> {brief(name, value, names)}"
        for name, value in after.items()
        if name not in UNSHOWN and value != before.get(name)
    ]
    if not changes and not more:
        say(f"{title(family, after)} is unchanged")
        return
    say(f"changed {title(family, after)}{': ' if changes else ''}{', '.join(changes)}{more}")


def brief(name: str, value: Any, names: Names) -> str:
    found = shown(name, value, names) or "(none)"
    return found if len(found) <= LONGEST else f"{found[:LONGEST]}..."


def effects(client: Client, family: Family, path: str, body: Fields, query: Mapping[str, str]) -> str:
    """Return the effects of a change on leases, in a clause; the server is asked before the change."""
    return clauses(rehearse(client, "PATCH", path, body, query)) if family.name in LEASING and body else ""


def effects_of_new(client: Client, family: Family, path: str, body: Fields) -> str:
    """Return the effects of a new object on leases. A refusal is left for the request itself."""
    if family.name not in TAKING:
        return ""
    operation = {"op": "create", "path": path, "body": body}
    try:
        answer = client.request("POST", "/bulk", {"operations": [operation], "dry_run": True})
    except ApiError:
        return ""
    return clauses(answer["impact"])


# --- deletions


def delete_all(
    client: Client, family: Family, items: list[Fields], cascade: bool, yes: bool, as_json: bool
) -> None:
    """Delete objects. With `cascade` on a terminal, show the effects and ask first. Scripts are not asked."""
    asks = cascade and not yes and sys.stdin.isatty()
    is_told = (asks or not as_json) and family.name not in ALONE
    impacts = [impact_of(client, family, item, cascade) if is_told else {} for item in items]
    below = [children_of(client, family, item) if is_told and cascade else "" for item in items]
    if asks:
        for item, impact, children in zip(items, impacts, below, strict=True):
            tell_rehearsal(impact, f"{title(family, item)}{children} would be deleted", as_json=False)
        what = title(family, items[0]) if len(items) == 1 else f"{len(items)} {family.many}"
        confirm(f"Delete {what} with everything below?")
    for item, impact, children in zip(items, impacts, below, strict=True):
        client.delete(family.items.name, item["id"], cascade)
        if as_json:
            show_one(item, as_json)
        else:
            say(f"deleted {title(family, item)}{children}{clauses(impact, deleted=True)}")


def impact_of(client: Client, family: Family, item: Fields, cascade: bool) -> Fields:
    return rehearse(
        client, "DELETE", item_path(family, item["id"]), query={"cascade": "true"} if cascade else {}
    )


def children_of(client: Client, family: Family, item: Fields) -> str:
    """Return the objects directly below one, as " with 1 pool, 2 reservations": the server's reason to refuse its
    deletion without cascade."""
    try:
        rehearse(client, "DELETE", item_path(family, item["id"]))
    except ApiError as error:
        children = (error.details or {}).get("children") or {}
        told = [counted(number, *labels(plural)) for plural, number in children.items()]
        return f" with {', '.join(told)}" if told else ""
    return ""


def labels(plural: str) -> tuple[str, str]:
    family = FAMILIES.get(plural.replace("_", "-"))
    words = in_words(plural)
    return (family.label, family.many) if family else (words, words)
