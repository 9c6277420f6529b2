"""DHCP options among the fields of a subnet, pool, class or reservation: `ipam update subnets lab dns=10.0.0.5`.

A field that the object lacks and that names an option sets that option of the object, in the same bulk request: all of
it happens, or none.
"""

from collections.abc import Mapping
from collections.abc import Set as AbstractSet
from typing import Any

import click

from api.cli.bare import RANGE
from api.cli.fields import once_each
from api.cli.names import Names, item_path, spelling
from api.cli.payloads import codes_of, is_repeated, of_other_family, payload_of
from api.cli.titles import option_key
from api.client import Client
from ipam_core.model.families import FAMILIES, Family
from ipam_core.printing import say

OPTIONS = FAMILIES["options"]

Fields = dict[str, Any]
Operation = dict[str, Any]


def options_among(
    family: Family, told: tuple[str, ...], known: AbstractSet[str]
) -> tuple[tuple[str, ...], dict[str, str]]:
    """Return the words without those that name an option, and these by name with their values. `known`: the fields of
    the object, which come first."""
    if family.name not in OPTIONS.above:
        return told, {}
    words = [
        word
        for word in told
        if "=" in word and "." not in (name := word.partition("=")[0]) and is_option_alone(name, known)
    ]
    lists = {name for word in words if is_repeated(name := word.partition("=")[0])}
    options = once_each(words, lists)
    return tuple(word for word in told if word not in words), options


def is_option_alone(name: str, known: AbstractSet[str]) -> bool:
    return spelling(name, known) not in known | {RANGE} and bool(codes_of(name))


def bodies(options: Mapping[str, str], family: int | None) -> list[Fields]:
    """Return the body of each option; a payload of None deletes it. Raises click's usage error for an option of the
    other address family, for one that is given twice, and for a value that needs JSON."""
    found = {name: body_of(name, text, family) for name, text in options.items()}
    refuse_twins(found)
    return list(found.values())


def refuse_twins(found: Mapping[str, Fields]) -> None:
    """Raise click's usage error for two words that mean the same option."""
    meant: dict[tuple[Any, Any], str] = {}
    for name, body in found.items():
        other = meant.setdefault((body["family"], body["code"]), name)
        if other != name:
            raise click.UsageError(f"{other} and {name} are the same option. Give it once.")


def body_of(name: str, text: str, family: int | None) -> Fields:
    codes = codes_of(name)
    if family is None and len(codes) > 1:
        family = 6 if ":" in text else 4
    number = family or next(iter(codes))
    if number not in codes:
        raise click.UsageError(
            of_other_family(name, number, {str(other): code for other, code in codes.items()})
        )
    payload = payload_of(text, str(codes[number]), str(number))
    if payload is None:
        raise click.UsageError(
            f"{name}: this option takes a payload: ipam create options code={codes[number]} payload=JSON"
        )
    return {"code": codes[number], "family": number, "payload": None if text == "null" else payload}


def creation(path: str, family: Family, body: Fields, options: list[Fields]) -> list[Operation]:
    """Return the operations that create an object with its options."""
    below = f"/{family.name}/$made/options"
    posts = [{"op": "create", "path": below, "body": each} for each in options]
    return [{"op": "create", "path": path, "body": body, "ref": "made"}, *posts]


def changes(client: Client, family: Family, id_: str, body: Fields, options: list[Fields]) -> list[Operation]:
    """Return the operations that change an object and its options; `null` deletes an option, and says on standard error
    where there is none."""
    found = [{"op": "update", "path": item_path(family, id_), "body": body}] if body else []
    for option in options:
        found += change_of(client, family, id_, option)
    return found


def change_of(client: Client, family: Family, id_: str, option: Fields) -> list[Operation]:
    asked = {"code": str(option["code"]), "family": str(option["family"]), family.key: id_}
    there = [each for each in client.items("/options", **asked) if not each["vendor_class"]]
    if option["payload"] is None and not there:
        say(f"there is no option {' '.join(option_key(option))}", err=True)
    if option["payload"] is None:
        return [{"op": "delete", "path": item_path(OPTIONS, each["id"])} for each in there]
    if there:
        body = {"payload": option["payload"]}
        return [{"op": "update", "path": item_path(OPTIONS, there[0]["id"]), "body": body}]
    return [{"op": "create", "path": f"/{family.name}/{id_}/options", "body": option}]


def with_stored_code(names: Names, family: Family, id_: str, told: tuple[str, ...]) -> tuple[str, ...]:
    """Return the words with the code of the stored option, by which its value is read."""
    given = {word.partition("=")[0] for word in told}
    if family.items.name != "options" or "value" not in given or "code" in given:
        return told
    option = names.get(family, id_)
    return (*told, f"code={option['code']}", f"family={option['family']}")


def performed(
    client: Client, operations: list[Operation], dry_run: bool = False, key: str | None = None
) -> dict[str, Any]:
    """Send them as one bulk request; return its answer."""
    body = {"operations": operations, "dry_run": dry_run}
    answer: dict[str, Any] = (
        client.request("POST", "/bulk", body) if dry_run else client.post_once("/bulk", body, key)
    )
    return answer
