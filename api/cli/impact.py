"""Effects of a change beyond the object itself: in full for a dry run, in a clause after the change."""

from collections.abc import Mapping
from typing import Any

import msgspec

from api.cli.cells import text
from api.client import Client
from ipam_core.printing import say

Fields = dict[str, Any]


def rehearse(
    client: Client,
    method: str,
    path: str,
    body: Fields | None = None,
    query: Mapping[str, str] | None = None,
) -> Fields:
    """Return the impact that a change or a deletion of an object would have. Changes nothing. Raises ApiError as the
    request itself would."""
    answer: Fields = client.request(method, path, body, {"dry_run": "true", **(query or {})})["impact"]
    return answer


def tell_rehearsal(impact: Fields, what: str, as_json: bool) -> None:
    tell_impact(impact, as_json)
    if not as_json:
        suffer = any(each["count"] for each in impact.values())
        say(what if suffer else f"{what}; no lease, reservation or record would be affected", err=True)


def clauses(impact: Mapping[str, Any], deleted: bool = False) -> str:
    """Return the effects after a semicolon each: "; 1 active lease will be refused at its next renewal". `deleted`:
    the change was a deletion, which counts records too."""
    leases = impact.get("leases", NONE)["count"]
    records = impact.get("records", NONE)["count"] if deleted else 0
    found = [f"{leases} {AHEAD[leases > 1]}"] if leases else []
    found += [f"{counted(records, 'DNS record', 'DNS records')} deleted with it"] if records else []
    return "".join(f"; {each}" for each in found)


def counted(number: int, one: str, more: str) -> str:
    return f"{number} {one if number == 1 else more}"


NONE = {"count": 0}
AHEAD = (
    "active lease will be refused at its next renewal",
    "active leases will be refused at their next renewal",
)


def tell_impact(impact: Fields, as_json: bool) -> None:
    """Print what else a change would do, and nothing where it would do nothing."""
    if as_json:
        say(msgspec.json.encode({"impact": impact}))
        return
    for name, heading in HEADINGS.items():
        found = impact.get(name, NONE)
        if found["count"]:
            say(f"! {found['count']} {heading[found['count'] > 1]}:")
            for item in found["items"]:
                say(f"    {fallen(item)}")
            if found["count"] > len(found["items"]):
                say(f"    and {found['count'] - len(found['items'])} more")


def fallen(item: Fields) -> str:
    """Return an affected object in words, without its id."""
    said = {name: text(value, name) for name, value in item.items() if name not in UNTOLD and value}
    if item.get("prefix_length") not in WHOLE:
        said["ip"] += f"/{item['prefix_length']}"
    if "expires_at" in said:
        said["expires_at"] = f"until {said['expires_at']}"
    return " ".join(said.values())


UNTOLD = ("id", "prefix_length")
WHOLE = (None, 32, 128)
HEADINGS = {
    "leases": (
        "active lease would be refused at its next renewal",
        "active leases would be refused at their next renewal",
    ),
    "reservations": ("reservation would be deleted with it", "reservations would be deleted with it"),
    "records": ("DNS record would be deleted with it", "DNS records would be deleted with it"),
}
