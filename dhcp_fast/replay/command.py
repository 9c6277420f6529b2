"""`ipam replay`: read the capture, rehearse it, print who would get what."""

import asyncio
from collections import Counter
from collections.abc import Iterable, Iterator
from ipaddress import IPv4Network
from pathlib import Path

import click
import msgspec

from dhcp_fast.replay.comparison import Compared, Outcome, compare
from dhcp_fast.replay.conversations import Conversations
from dhcp_fast.replay.rehearsal import Rehearsal
from ipam_core.db.connect import connect
from ipam_core.db.outage import AWAY
from ipam_core.db.url import find_url
from ipam_core.errors import Unavailable
from ipam_core.settings import Settings

WORDS: dict[Outcome, str] = {
    "same": "get the same",
    "differs": "get something else",
    "we_are_silent": "would get nothing",
    "they_were_silent": "got nothing in the capture, and would get something",
    "both_silent": "get nothing from either",
}
DIFFERENT = 3


class ReplayOptions(msgspec.Struct, frozen=True):
    """`network`: of clients whose network the capture does not tell."""

    capture: Path
    network: IPv4Network | None = None
    as_json: bool = False
    only_different: bool = False


def replay(settings: Settings, options: ReplayOptions) -> int:
    """Print; the exit status is 0 when every client that was served gets the same, else 3."""
    conversations = Conversations()
    conversations.read(options.capture)
    found = asyncio.run(rehearse(settings, options, conversations))
    totals = Counter(client.outcome for client in found)
    if options.as_json:
        click.echo(msgspec.json.encode(report(conversations, found)).decode())
    else:
        for line in lines(conversations, found, options.only_different):
            click.echo(line)
    return DIFFERENT if totals["differs"] or totals["we_are_silent"] else 0


async def rehearse(
    settings: Settings, options: ReplayOptions, conversations: Conversations
) -> list[Compared]:
    dsn = find_url(settings)
    try:
        connection = await connect(dsn)
        try:
            rehearsal = await Rehearsal.prepare(connection, settings, options.network)
        finally:
            await connection.close()
    except AWAY as error:
        raise Unavailable("the database", str(error)) from None
    return [compare(client, rehearsal.give(client)) for client in conversations.whole()]


def report(conversations: Conversations, found: list[Compared]) -> dict[str, object]:
    totals = Counter(client.outcome for client in found)
    summary = {outcome: totals[outcome] for outcome in WORDS}
    return {"packets": dict(conversations.counts), "summary": summary, "clients": found}


def lines(conversations: Conversations, found: list[Compared], only_different: bool) -> Iterable[str]:
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


def client_lines(client: Compared) -> Iterator[str]:
    where = f"through relay {client.relay}" if client.relay else "without relay"
    yield f"{client.mac or client.client_id} {where}: {client.outcome.replace('_', ' ')}"
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
