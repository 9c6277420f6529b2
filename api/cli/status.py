"""`ipam status`: whether the service is well. Each part is read by a request of its own, and a part that cannot be read
is reported as such: it is never shown as empty."""

import time
from collections import Counter
from collections.abc import Callable, Iterator, Mapping
from datetime import UTC, datetime, timedelta
from http import HTTPStatus
from threading import Thread
from typing import Any

import click
import msgspec

from api.cli.cells import local_time, text
from api.cli.connection import speaking
from api.cli.faults import advice
from api.cli.tables import Listing, Style, json_option
from api.client import ApiError, Client
from api.client.errors import ConnectionFailed
from ipam_core.model.families import in_words
from ipam_core.printing import say

Item = dict[str, Any]
ROLES = {
    "dhcp": "DHCPv4 server",
    "dhcp6": "DHCPv6 server",
    "dns": "DNS server",
    "api": "API server",
    "worker": "worker",
}
ALIVE = ("starting", "ready", "degraded", "draining")
NODE_COLUMNS = ("name", "role", "state", "version", "heartbeat_at", "detail")
POOL_COLUMNS = ("pool", "subnet", "addresses", "utilisation")
NEAR_LIMIT = 0.95
OLD_FIGURES = timedelta(minutes=5)
LONG_WAIT = timedelta(minutes=15)
FEW = 5
PATIENCE = 3.0
"""Seconds after which a part is not asked for again."""
MOST_SECONDS = 5.0
"""Longest time of the command, whatever the server does."""


class Reading:
    """Answers of the API. `unread`: why a part could not be read, by its name; `lost`: why there is no answer at
    all; `refused`: of a token that is not accepted."""

    def __init__(self, client: Client) -> None:
        self.client = client
        client.patience, client.sleep = PATIENCE, time.sleep
        self.of_tenant: bool | None = None
        self.refused: ApiError | None = None
        self.answers: dict[str, Any] = {}
        self.reasons: dict[str, str | ConnectionFailed] = {}
        parts: dict[str, Callable[[], Any]] = {
            "nodes": self.list_nodes,
            "overview": self.get("/dashboard"),
            "inbox": self.get("/dashboard/inbox"),
            "zones": self.serves_zones,
        }
        self.read_all(parts)
        self.lost = next((str(each) for each in self.reasons.values() if not isinstance(each, str)), "")
        self.unread = {part: str(self.reasons[part]) for part in parts if part in self.reasons}
        self.nodes: list[Item] | None = self.answers.get("nodes")
        self.dashboard: Item | None = self.answers.get("overview")
        self.inbox: Item | None = self.answers.get("inbox")
        self.zones: bool | None = self.answers.get("zones")

    def read_all(self, parts: Mapping[str, Callable[[], Any]]) -> None:
        """Read the parts at the same time. One that does not answer delays none of the others, and the command ends
        without it."""
        threads = [Thread(target=self.read, args=part, daemon=True) for part in parts.items()]
        for thread in threads:
            thread.start()
        ends = time.monotonic() + MOST_SECONDS
        for thread in threads:
            thread.join(max(0.0, ends - time.monotonic()))
        for part in parts:
            if part not in self.answers:
                self.reasons.setdefault(part, f"no answer within {MOST_SECONDS:.0f} s")

    def get(self, path: str) -> Callable[[], Item]:
        return lambda: self.client.request("GET", path)

    def read(self, part: str, ask: Callable[[], Any]) -> None:
        """Keep the answer, or the reason why there is none."""
        try:
            self.answers[part] = ask()
        except ConnectionFailed as error:
            self.reasons[part] = error
        except ApiError as error:
            if error.status == HTTPStatus.UNAUTHORIZED:
                self.refused = error
            self.reasons[part] = "; ".join([str(error), *advised(self.client, error)])
        except Exception as error:  # noqa: BLE001 - an unreadable answer is reported for its part only
            self.reasons[part] = f"the answer cannot be read: {error}"

    def has_tenant(self) -> bool:
        """Return whether the token is limited to a tenant. Before the first token nobody is."""
        try:
            return self.get("/tokens/self")()["tenant_id"] is not None
        except ApiError as error:
            if error.status == HTTPStatus.NOT_FOUND:
                return False
            raise

    def list_nodes(self) -> list[Item] | None:
        self.of_tenant = self.has_tenant()
        return None if self.of_tenant else list(self.client.items("/nodes", limit=500))

    def serves_zones(self) -> bool:
        """Return whether any zone is to be answered by a DNS server of ours."""
        page = self.client.request("GET", "/dns-zones", query={"dns_enabled": "true", "limit": "1"})
        return bool(page["items"])


def advised(client: Client, error: ApiError) -> list[str]:
    found = advice(error, client.url, "authorization" in client.http.headers)
    return [found] if found else []


@click.command()
@json_option
@speaking
def status(client: Client, as_json: bool) -> None:
    """Show the state of the service: nodes, fullest pools, unknown relays, limits and what needs attention.

    Exit status 1: something needs attention, or could not be read. The command ends after a few seconds, also if the
    server does not answer."""
    found = Reading(client)
    if found.refused and not as_json:
        raise found.refused
    wrong = list(attention(found))
    if as_json:
        say(msgspec.json.encode(as_object(found, wrong)))
    else:
        show(found, wrong)
    if wrong or found.unread:
        click.get_current_context().exit(1)


def as_object(found: Reading, wrong: list[str]) -> Item:
    """Return everything that was read; null: it could not be, or the token may not see it."""
    return {
        "ok": not wrong and not found.unread,
        "attention": wrong,
        "unread": found.unread,
        "nodes": found.nodes,
        "dashboard": found.dashboard,
        "inbox": found.inbox,
    }


# --- needs attention


def attention(found: Reading) -> Iterator[str]:
    if found.nodes is not None:
        yield from of_nodes(found.nodes)
        yield from of_roles({node["role"] for node in found.nodes if node["state"] in ALIVE}, found)
    if found.dashboard is not None:
        yield from of_overview(found.dashboard)
    if found.inbox is not None:
        yield from of_inbox(found.inbox)


def of_nodes(nodes: list[Item]) -> Iterator[str]:
    for node in nodes:
        if node["state"] == "down":
            yield f"{called(node)} is down: its last heartbeat was at {local_time(node['heartbeat_at'])}"
        elif node["state"] == "degraded":
            yield f"{called(node)} is degraded: {text(node['detail']).removeprefix('degraded: ')}"
    versions = sorted({node["version"] for node in nodes if node["state"] in ALIVE})
    if len(versions) > 1:
        yield f"the nodes run different versions: {', '.join(versions)}"


def called(node: Item) -> str:
    return f"{ROLES.get(node['role'], node['role'])} {text(node['name'])}"


def of_roles(alive: set[str], found: Reading) -> Iterator[str]:
    """Report roles that the plan needs and nobody has. Servers of 0.1 report neither API nor DNS servers."""
    pools = (found.dashboard or {"counts": {"pools": 0}})["counts"]["pools"]
    if pools and not alive & {"dhcp", "dhcp6"}:
        yield "no DHCP server is running: start ipam dhcp"
    if "worker" not in alive:
        yield "no worker is running, so DNS names and webhooks wait: start ipam worker"
    if found.zones and "api" in alive and "dns" not in alive:
        yield "no DNS server is running, but zones are enabled: start ipam dns"


def of_overview(dashboard: Item) -> Iterator[str]:
    for pool in dashboard["pools_near_full"]:
        yield f"pool {name_of(pool)} of {subnet_of(pool)} is {text(pool['utilisation'], 'utilisation')} in use"
    used, limit = dashboard["managed_ips"], dashboard["managed_ips_limit"]
    if limit and used >= NEAR_LIMIT * limit:
        yield f"{used:,} of {limit:,} managed addresses are in use: raise managed_address_limit"
    counted = dashboard["as_of"]
    if counted is None or age(counted) > OLD_FIGURES:
        when = f"since {local_time(counted)}" if counted else "yet"
        yield f"the use of pools has not been counted {when}; every API server counts it"
    for name, queue in dashboard["outbox"].items():
        if queue["oldest_at"] and age(queue["oldest_at"]) > LONG_WAIT:
            yield f"{counted_of(queue)} {in_words(name)} are waiting, the oldest since {local_time(queue['oldest_at'])}"


def of_inbox(inbox: Item) -> Iterator[str]:
    if relays := inbox["unknown_relays"]["items"]:
        some = ", ".join(relay["address"] for relay in relays[:FEW]) + (", ..." if relays[FEW:] else "")
        yield f"relay agents that are not trusted get no answer for their clients: {some} (ipam trusted-relays unknown)"
    for secondary in inbox.get("lagging_secondaries", ()):
        yield f"secondary {text(secondary['name'])} of zone {secondary['zone']} is {lag(secondary)}"
    if conflicts := size(inbox["ddns_conflicts"]):
        yield f"DNS names that belong to another host: {conflicts} (ipam ddns-updates --state conflict)"
    if dead := size(inbox["dead_deliveries"]):
        yield f"webhook deliveries that failed for good: {dead} (ipam deliveries --state dead)"


def lag(secondary: Item) -> str:
    since = f" since {local_time(secondary['behind_since'])}" if secondary["behind_since"] else ""
    behind = (
        f"{secondary['serials_behind']} serials behind" if secondary["serials_behind"] else secondary["state"]
    )
    refusal = f": {text(secondary['last_refusal'])}" if secondary["last_refusal"] else ""
    return f"{behind}{since}{refusal}"


# --- the page


def show(found: Reading, wrong: list[str]) -> None:
    show_nodes(found)
    if found.dashboard is not None:
        show_overview(found.dashboard)
    if found.inbox is not None:
        show_inbox(found.inbox, found.of_tenant)
    tell_unread(found)
    if wrong:
        say()
        say("Needs attention", bold=True)
        for line in wrong:
            say(f"- {line}")
    elif not found.unread:
        say()
        say("All clear")


def tell_unread(found: Reading) -> None:
    if found.lost:
        say(f"ipam: {found.lost}", err=True)
    for part, reason in found.unread.items():
        say(f"ipam: {part}: could not be read" + (f": {reason}" if reason != found.lost else ""), err=True)


def show_nodes(found: Reading) -> None:
    if found.of_tenant:
        say("nodes: not shown to a token of one tenant")
    elif found.nodes is not None:
        states = {role: Counter(n["state"] for n in found.nodes if n["role"] == role) for role in ROLES}
        for role, counts in states.items():
            told = ", ".join(f"{count} {state}" for state, count in sorted(counts.items()))
            say(f"{ROLES[role] + 's:':<16}{told or 'none'}")
        if found.nodes:
            heading("Nodes")
            Listing(Style(), NODE_COLUMNS).show(
                sorted(found.nodes, key=lambda node: (node["role"], node["name"]))
            )


def show_overview(dashboard: Item) -> None:
    when = f", counted at {local_time(dashboard['as_of'])}" if dashboard["as_of"] else ", not counted yet"
    heading(f"Fullest pools{when}")
    pools = [
        {"pool": name_of(pool), "subnet": subnet_of(pool), "addresses": range_of(pool)} | pool
        for pool in dashboard["top_pools"]
    ]
    if pools:
        Listing(Style(), POOL_COLUMNS).show(pools)
    else:
        say("no pool is in use")
    say()
    limit = dashboard["managed_ips_limit"]
    say(f"Managed addresses: {dashboard['managed_ips']:,} of {f'{limit:,}' if limit else 'no limit'}")
    for name, queue in dashboard["outbox"].items():
        say(f"Waiting {in_words(name)}: {counted_of(queue)}")


def show_inbox(inbox: Item, of_tenant: bool | None) -> None:
    relays = "not shown to a token of one tenant" if of_tenant else size(inbox["unknown_relays"])
    say(f"Unknown relay agents: {relays or 'none'}")
    lagging = inbox.get("lagging_secondaries")
    told = "this server does not report them" if lagging is None else len(lagging) or "none"
    say(f"Secondaries that do not follow: {told}")
    waiting = [lease for lease in inbox["declined_leases"]["items"] if lease.get("quarantined_until", True)]
    say(f"Declined addresses in quarantine: {len(waiting) or 'none'}")


def heading(title: str) -> None:
    say()
    say(title, bold=True)


def name_of(pool: Item) -> str:
    return text(pool["name"]) or range_of(pool)


def range_of(pool: Item) -> str:
    return pool["prefix"] or f"{pool['start_ip']}-{pool['end_ip']}"


def subnet_of(pool: Item) -> str:
    return str(pool.get("cidr") or pool["subnet_id"])


def size(page: Item) -> str:
    """Return how many a page has; empty for none."""
    count = len(page["items"])
    return f"{count} or more" if page["next_cursor"] else str(count or "")


def counted_of(queue: Item) -> str:
    return "10,000 or more" if queue["waiting"] >= 10_000 else f"{queue['waiting']:,}"


def age(moment: str) -> timedelta:
    return datetime.now(UTC) - datetime.fromisoformat(moment)
