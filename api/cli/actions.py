"""Actions on an object beside the four verbs, and its children that are no family."""

from collections.abc import Iterable, Mapping
from typing import Any, NamedTuple

import click

from api.cli.connection import speaking
from api.cli.delivering import show_outcome, wait_option
from api.cli.fields import pairs
from api.cli.lists import (
    MOMENTS,
    chosen,
    filter_options,
    filters_option,
    found_one,
    given,
    limit_option,
    moment_of,
    narrowing,
    refuse_paging,
)
from api.cli.names import FEW, Names, item_path
from api.cli.outcomes import SECRETS, tell_secrets
from api.cli.tables import Listing, Style, json_option, show_one, styled
from api.client import Client
from ipam_core.model.families import FAMILIES, Family, with_article


class Action(NamedTuple):
    """`switches` are fields of the body, as are `choices` with their values; `flags` are parameters of the query.
    `kind`: the family that it is a matter of in the API, if not the one whose command it is. `rows`: a list in the
    answer that is shown as a table with `columns`. `fails`: a count in the answer; exit status 1 if it is not 0.
    `waits`: seconds to wait for the outcome of the delivery in the answer, unless --wait is given."""

    name: str
    help: str
    switches: tuple[str, ...] = ()
    choices: Mapping[str, tuple[str, ...]] = {}
    kind: str = ""
    flags: tuple[str, ...] = ()
    rows: str = ""
    columns: tuple[str, ...] = ()
    fails: str = ""
    waits: float | None = None


TEST = "Send a test message now, and show its outcome: exit status 1 unless it was delivered."
PATIENCE = 20.0  # seconds, longer than an attempt may take

ACTIONS = {
    "dns-servers": (Action("test", "Test whether the server would accept updates. Changes nothing there."),),
    "dns-zones": (
        Action(
            "check",
            "Report what BIND, NSD and Knot as its secondaries would refuse or warn about; exit status 1 on errors.",
            rows="findings",
            columns=("severity", "name", "type", "data", "servers", "problem", "fix"),
            fails="errors",
        ),
        Action(
            "reconcile", "Compare the zone at its DNS server with the leases, and repair it.", ("dry_run",)
        ),
    ),
    "ddns-updates": (Action("retry", "Retry a failed update now."),),
    "leases": (
        Action(
            "reconfigure",
            "Send the DHCPv6 client a Reconfigure message, so that it renews the lease.",
            choices={"message": ("renew", "rebind", "information_request")},
        ),
    ),
    "deliveries": (Action("redeliver", "Send a delivery again, by its id.", waits=0),),
    "nodes": (
        Action(
            "drain",
            "Drain a DHCP server: it stops offering leases, renews for a while, then stops answering. Or drain a "
            "worker. --force: even the last ready server.",
            flags=("force",),
        ),
        Action("undrain", "Return a drained server to service, if its process still runs."),
    ),
    "tokens": (
        Action("rotate", "Create a new secret for the token, shown once. The old secret is invalid at once."),
    ),
    "notifications": (
        Action("test", TEST, waits=PATIENCE),
        Action("redeliver", "Send a delivery again, by its id.", kind="deliveries", waits=0),
    ),
    "webhooks": (
        Action("test", TEST, waits=PATIENCE),
        Action("rotate", "Create a new signing secret, shown once. For a day messages are signed with both."),
        Action("redeliver", "Send a delivery again, by its id.", kind="deliveries", waits=0),
    ),
}


class Below(NamedTuple):
    """A list below an object. `is_whole`: it has no pages."""

    name: str
    help: str
    columns: tuple[str, ...]
    is_whole: bool = False


LISTS = {
    "notifications": (
        Below(
            "deliveries",
            "List deliveries of the notification, newest first.",
            ("id", "created_at", "event", "state", "attempts", "response_status", "last_error"),
        ),
    ),
    "webhooks": (
        Below(
            "deliveries",
            "List deliveries to the webhook, newest first.",
            ("id", "created_at", "event", "state", "attempts", "response_status", "last_error"),
        ),
    ),
    "dns-zones": (
        Below(
            "secondaries",
            "List the secondaries: serials behind, since when, and the last refusal.",
            ("name", "address", "state", "serial", "serials_behind", "behind_since", "last_refusal"),
            is_whole=True,
        ),
    ),
    "client-classes": (
        Below(
            "values",
            "List the values that clients have sent to a template class.",
            ("name", "packets", "last_seen_at"),
        ),
    ),
}


class Beside(NamedTuple):
    """A list beside those of a family's objects."""

    name: str
    help: str
    columns: tuple[str, ...]
    filters: tuple[str, ...] = ()


BESIDE = {
    "trusted-relays": (
        Beside(
            "unknown",
            "List relay agents that are not trusted and asked for clients, with the number of their packets.",
            ("address", "count", "first_seen_at", "last_seen_at"),
            ("within", "family", "since"),
        ),
    ),
}


def actions_of(family: Family) -> list[click.Command]:
    actions = [action_command(family, action) for action in ACTIONS.get(family.name, ())]
    below = (below_command(family, each) for each in LISTS.get(family.name, ()))
    return [*actions, *below, *(beside_command(family, each) for each in BESIDE.get(family.name, ()))]


def action_command(of: Family, action: Action) -> click.Command:
    family = FAMILIES[action.kind] if action.kind else of

    @click.command(action.name, help=action.help)
    @click.argument("name", required=family.name not in FEW)
    @json_option
    @speaking
    def run(name: str | None, client: Client, as_json: bool, **options: Any) -> None:
        if name is None:
            raise click.UsageError(f"name {with_article(family.label)}{Names(client).where(family, '')}")
        told = {each: options.pop(each) for each in (*action.switches, *action.choices)}
        flags = {each: options.pop(each) for each in action.flags}
        wait = options.pop("wait", None)
        names = Names(client)
        id_ = found_one(names, family, name, options)["id"]
        body = {each: value for each, value in told.items() if value}
        query = "&".join(f"{each}=true" for each in flags if flags[each])
        path = item_path(family, id_, action.name) + (f"?{query}" if query else "")
        show_answer(action, client.post_once(path, body), as_json, names, wait)

    narrow = narrowing(family) if family.names else []  # without names, the id identifies the object
    run.params += [
        *narrow,
        *options_of(action),
        *([] if action.waits is None else [wait_option(action.waits)]),
    ]
    return run


def show_answer(
    action: Action, answer: dict[str, Any], as_json: bool, names: Names, wait: float | None = None
) -> None:
    if wait is not None:
        show_outcome(names, answer, wait, as_json)
        return
    if not as_json:
        tell_secrets(answer)
        answer = {name: value for name, value in answer.items() if name not in SECRETS}
    rows = [] if as_json or not action.rows else answer.pop(action.rows)
    show_one(answer, as_json, names)
    if rows:
        Listing(Style(), action.columns, (), names).show(rows)
    if action.fails and answer[action.fails]:
        click.get_current_context().exit(1)


def options_of(action: Action) -> list[click.Parameter]:
    return [
        *(
            click.Option([f"--{switch.replace('_', '-')}"], is_flag=True)
            for switch in (*action.switches, *action.flags)
        ),
        *(click.Option([f"--{name}"], type=click.Choice(values)) for name, values in action.choices.items()),
    ]


def below_command(family: Family, below: Below) -> click.Command:
    @click.command(below.name, help=below.help)
    @click.argument("name")
    @filters_option
    @limit_option
    @styled
    @speaking
    def run(
        name: str,
        told: tuple[str, ...],
        limit: int | None,
        client: Client,
        style: Style,
        **narrow: str | None,
    ) -> None:
        query = read_query(below.name, told)
        names = Names(client)
        found = found_one(names, family, name, narrow)
        rows = listed(client, item_path(family, found["id"], below.name), query, below.is_whole)
        Listing(style, below.columns, (), names, limit=limit).show(rows)

    run.params += narrowing(family)
    return run


def beside_command(family: Family, beside: Beside) -> click.Command:
    @click.command(beside.name, help=beside.help)
    @filters_option
    @limit_option
    @styled
    @speaking
    def run(
        told: tuple[str, ...], limit: int | None, client: Client, style: Style, **filters: str | None
    ) -> None:
        query = read_query(beside.name, (f"{name}={value}" for name, value in given(filters).items()))
        query |= read_query(beside.name, told)
        rows = client.items(f"/{family.name}/{beside.name}", **query)
        Listing(style, beside.columns, ("id",), limit=limit).show(rows)

    run.params += filter_options(family, beside.filters)
    return run


def read_query(family: str, told: Iterable[str]) -> dict[str, str]:
    """Return filters as the API takes them. Raises click's usage error."""
    query = pairs(told)
    refuse_paging(query)
    return {
        name: moment_of(name, value) if name in MOMENTS else chosen(family, name, value)
        for name, value in query.items()
    }


def listed(client: Client, path: str, query: Mapping[str, str], is_whole: bool) -> Iterable[dict[str, Any]]:
    if not is_whole:
        return client.items(path, **query)
    items: list[dict[str, Any]] = client.request("GET", path, query=query)["items"]
    return items
