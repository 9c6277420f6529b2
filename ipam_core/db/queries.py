"""Named queries: each file of sql/ holds those of one family, with a sentence of why above each.

`load("subnet")` gives an object whose methods are the queries of sql/subnet.sql, called as `await
queries.create_subnet(connection, cidr=...)`. Two kinds of text are written once, and queries contain a mark for them: a
table of all families of a kind (TABLES), and parts that several statements share (FRAGMENTS).
"""

from functools import cache
from importlib import resources
from typing import Any

import aiosql

from ipam_core.model.families import Level, objects

FILES = resources.files("ipam_core.db.sql")


def rows_of(level: Level, column: str) -> str:
    """Return the objects of all families at a level as one table: id, and the number of their subnet or tenant."""
    rows = (f"select id, {column} from {family.table}" for family in objects(level))  # noqa: S608 - names of our own
    return f"({' union all '.join(rows)})"


def fragment(name: str, **parts: str) -> str:
    """Return the text of sql/fragments/<name>.sql; its {parts} are SQL that differs from statement to statement."""
    return FILES.joinpath("fragments", f"{name}.sql").read_text("utf-8").rstrip().format(**parts)


TABLES = {
    "{objects in subnets}": rows_of(Level.SUBNET, "subnet_no"),
    "{objects in tenants}": rows_of(Level.TENANT, "tenant_no"),
}

# `{oldest running}`: all transactions of this database below this one have ended. Transaction numbers are shared by all
# databases, and a long transaction of another database must not delay readers. The snapshot is taken before the
# sessions are read, so a transaction that still has its number then was in the snapshot, and a session never changes
# its database. A prepared transaction has no session and delays all. A transaction that has read pg_stat_activity
# already cannot use the fragment: it sees the sessions as they were before the snapshot.
#
# `{hidden records}`: records of a zone, or of those above it, for which another zone of the tenant answers.
#
# `{lease of the hardware}`: Ethernet addresses are found by the client key, which is 0101 and the address; others by
# the index lease_by_other_hardware. `{history ...}`: rows that a lease statement writes, of those that it calls `won`.
#
# Names in DNS: operators have all addresses that they entered; a client has its latest address of each family.
FRAGMENTS = {
    "{lease of the hardware}": fragment("of_hardware", octets=":hardware::bytea"),
    "{lease of the hardware in octets}": fragment("of_hardware", octets="substring(:octets::bytea from 2)"),
    "{lease of the hardware in the client id}": fragment(
        "of_hardware", octets="substring(:client_id::bytea from 2)"
    ),
    "{hidden records}": fragment("hidden_records"),
    "{is partial}": fragment("is_partial"),
    "{lease as asked}": fragment("leasequery"),
    "{option 82 of the lease}": fragment("relay_words"),
    "{time behind the row's}": fragment("behind_row"),
    "{end that was told meanwhile}": fragment("told_meanwhile", column="expires_at"),
    "{reuse that was told meanwhile}": fragment("told_meanwhile", column="reuse_at"),
    "{end of lifetime}": fragment("lifetime_end", seconds="b.lifetime"),
    "{reuse after lifetime}": fragment("lifetime_end", seconds="b.lifetime::bigint + b.margin"),
    "{oldest running}": fragment("oldest_running", snapshot="pg_current_snapshot()"),
    "{history of grants}": fragment("lease_event", at="w.renewed_at", kind="'g'"),
    "{history of changes}": fragment(
        "lease_event",
        at="case w.operation when 'n' then w.renewed_at else w.ended_at end",
        kind="case w.operation when 's' then 'r' else w.operation end",
    ),
    "{history of quarantines}": fragment("lease_event", at="w.renewed_at", kind="'d'"),
    "{history of registrations}": fragment("lease_event", at="w.renewed_at", kind="'i'"),
    "{history of takeovers}": fragment("takeover_event"),
    "{name stays}": fragment("name_stays", packet="b", goes_on=""),
    "{name stays with grant}": fragment(
        "name_stays",
        packet="excluded",
        goes_on=""" and l.state = 'a' and (l.client_key = excluded.client_key or (l.ia_type = 0
      and l.hw_type = excluded.hw_type and l.hw_address = excluded.hw_address
      and l.client_id is not distinct from excluded.client_id))""",
    ),
    "{client goes on}": fragment("client_goes_on"),
    "{name stays registered}": fragment(
        "name_stays",
        packet="excluded",
        goes_on=" and l.state = 'i' and l.client_key = excluded.client_key",
    ),
    "{is an operator's}": fragment("of_operator", record="r"),
    "{is an operator's in o}": fragment("of_operator", record="o"),
    "{shares name}": fragment("shares_name"),
    "{is owner's}": fragment("of_owner"),
    "{counts for owner}": fragment("counts_for_owner"),
    "{history of releases}": fragment("release_event"),
    "{search source}": fragment("search_source"),
}


class Queries:
    """Queries of one file, by their names; it is parsed when the first of them is needed, because each command and
    server imports many files and needs few."""

    def __init__(self, name: str) -> None:
        self._name = name

    def __getattr__(self, query: str) -> Any:
        found = getattr(parsed(self._name), query)
        setattr(self, query, found)
        return found


@cache
def load(name: str) -> Any:
    """Return the queries of sql/<name>.sql."""
    return Queries(name)


@cache
def parsed(name: str) -> Any:
    """Return the text never changes while the program runs."""
    text = FILES.joinpath(f"{name}.sql").read_text("utf-8")
    for mark, written in (TABLES | FRAGMENTS).items():
        text = text.replace(mark, written)
    return aiosql.from_str(text, "asyncpg", mandatory_parameters=False)
