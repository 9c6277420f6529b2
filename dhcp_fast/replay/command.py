"""`ipam replay`: read the capture, rehearse it, print who would get what."""

import asyncio
from collections import Counter
from collections.abc import Iterable, Iterator
from ipaddress import IPv4Network, IPv6Network
from pathlib import Path

import msgspec
from asyncpg import Connection

from dhcp_fast.replay import plan_file
from dhcp_fast.replay.comparison import Compared, Outcome, compare
from dhcp_fast.replay.comparison6 import Compared6, compare6
from dhcp_fast.replay.conversations import Conversations
from dhcp_fast.replay.rehearsal import Rehearsal
from dhcp_fast.replay.rehearsal6 import Rehearsal6
from ipam_core.db.connect import connect
from ipam_core.db.outage import AWAY
from ipam_core.db.url import find_url
from ipam_core.errors import Unavailable
from ipam_core.printing import say
from ipam_core.settings import Settings

WORDS: dict[Outcome, str] = {
    "same": "get the same",
    "differs": "get something else",
    "we_are_silent": "would get nothing",
    "they_were_silent": "got nothing in the capture and would get something here",
    "both_silent": "get nothing from either server",
}
DIFFERENT = 3
EVERYBODY = (IPv4Network("0.0.0.0/0"), IPv6Network("::/0"))
AnyCompared = Compared | Compared6
Network = IPv4Network | IPv6Network | None


class ReplayOptions(msgspec.Struct, frozen=True):
    """`plan`: a plan of `ipam import --plan`, in place of the database's.

    `network`: network of clients for which the capture shows none.
    """

    capture: Path
    plan: Path | None = None
    network: IPv4Network | IPv6Network | None = None
    as_json: bool = False
    only_different: bool = False


def replay(settings: Settings, options: ReplayOptions) -> int:
    """Print; the exit status is 0 when every client that was served gets the same, else 3."""
    conversations = Conversations()
    conversations.read(options.capture)
    if options.plan is None:
        found = asyncio.run(rehearse(settings, options, conversations))
    else:
        found = rehearse_plan(settings, options, options.plan, conversations)
    totals = Counter(client.outcome for client in found)
    if options.as_json:
        say(msgspec.json.encode(report(conversations, found)))
    else:
        for line in lines(conversations, found, options.only_different):
            say(line)
    return DIFFERENT if totals["differs"] or totals["we_are_silent"] else 0


def rehearse_plan(
    settings: Settings, options: ReplayOptions, path: Path, conversations: Conversations
) -> list[AnyCompared]:
    """Rehearse in a database of its own, where no relay is known: each is trusted."""
    plan = plan_file.read(path)

    async def run(dsn: str) -> list[AnyCompared]:
        connection = await connect(dsn)
        try:
            await plan_file.make(connection, plan, path)
        finally:
            await connection.close()
        return await rehearse(
            msgspec.structs.replace(settings, database_url=dsn, trusted_relays=EVERYBODY),
            options,
            conversations,
        )

    with plan_file.scratch_database(settings) as dsn:
        return asyncio.run(run(dsn))


async def rehearse(
    settings: Settings, options: ReplayOptions, conversations: Conversations
) -> list[AnyCompared]:
    dsn = find_url(settings)
    try:
        connection = await connect(dsn)
        try:
            found = await rehearse4(connection, settings, options.network, conversations)
            return found + await rehearse6(connection, settings, options.network, conversations)
        finally:
            await connection.close()
    except AWAY as error:
        raise Unavailable("the database", str(error)) from None


async def rehearse4(
    connection: Connection, settings: Settings, network: Network, conversations: Conversations
) -> list[AnyCompared]:
    clients = conversations.whole()
    if not clients:
        return []
    rehearsal = await Rehearsal.prepare(
        connection, settings, network if isinstance(network, IPv4Network) else None
    )
    return [compare(client, rehearsal.give(client)) for client in clients]


async def rehearse6(
    connection: Connection, settings: Settings, network: Network, conversations: Conversations
) -> list[AnyCompared]:
    clients = conversations.ipv6.whole()
    if not clients:
        return []
    rehearsal = await Rehearsal6.prepare(
        connection, settings, network if isinstance(network, IPv6Network) else None
    )
    return [compare6(client, rehearsal.give(client)) for client in clients]


def report(conversations: Conversations, found: list[AnyCompared]) -> dict[str, object]:
    totals = Counter(client.outcome for client in found)
    summary = {outcome: totals[outcome] for outcome in WORDS}
    return {"packets": dict(conversations.counts), "summary": summary, "clients": found}


def lines(conversations: Conversations, found: list[AnyCompared], only_different: bool) -> Iterable[str]:
    for client in found:
        if not (only_different and client.outcome == "same"):
            yield from client_lines(client)
    counts = conversations.counts
    yield (
        f"{counts['packets']} packets: {counts['requests']} requests and {counts['replies']} replies of {len(found)}"
        f" clients, {counts['others']} other DHCP messages, {counts['malformed']} malformed or cut short"
    )
    totals = Counter(client.outcome for client in found)
    yield from (f"  {totals[outcome]:6} {words}" for outcome, words in WORDS.items() if totals[outcome])


def headline(client: AnyCompared) -> str:
    if isinstance(client, Compared6):
        where = f"on link {client.link}" if client.link else "without a link"
        return f"{client.duid or 'a client without DUID'} {where}"
    where = f"through relay {client.relay}" if client.relay else "without relay"
    return f"{client.mac or client.client_id} {where}"


def client_lines(client: AnyCompared) -> Iterator[str]:
    yield f"{headline(client)}: {client.outcome.replace('_', ' ')}"
    if client.note:
        yield f"    {client.note}"
    if client.drop_reason:
        yield f"    no answer, {client.drop_reason}: {client.meaning}"
    if client.outcome == "differs":
        for one in client.differences:
            yield f"    {one.field:22} {one.theirs or 'none'}  ->  {one.ours or 'none'}"
        return
    for name, value in (client.ours or client.theirs or {}).items():
        yield f"    {name:22} {value}"
