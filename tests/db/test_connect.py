"""Sessions: what crosses the wire as which Python value, and what every session has set."""

from ipaddress import IPv4Address, IPv4Network, IPv6Address, IPv6Network
from uuid import uuid4

import asyncpg
import pytest

from dhcp_fast.database.leases.initial_load import SESSION as LOADER
from dhcp_fast.database.leases.lease_session import SESSION as LEASES
from ipam_core.db.connect import ARRAYS, LIVENESS, SESSION, connect, connect_any, create_pool


@pytest.mark.parametrize(
    ("type_", "value"),
    [
        ("jsonb", {"names": ["ä", None], "n": 1.5, "deep": {"list": [True, 2**53]}}),
        ("jsonb", []),
        ("jsonb", None),
        ('"char"', "a"),
        ("uuid", uuid4()),
        ("inet", IPv4Address("192.0.2.1")),
        ("inet", IPv6Address("2001:db8::1")),
        ("cidr", IPv4Network("192.0.2.0/24")),
        ("cidr", IPv6Network("2001:db8::/32")),
        ("host_address", IPv4Address("192.0.2.1")),
        ("bytea", b"\x00\xff"),
        ('"char"[]', ["a", "r"]),
        ("inet[]", [IPv4Address("192.0.2.1")]),
    ],
)
async def test_a_value_comes_back_as_it_went(pool: asyncpg.Pool, type_: str, value: object) -> None:
    assert await pool.fetchval(f"select $1::{type_}", value) == value


async def test_a_hardware_address_is_text_with_colons(pool: asyncpg.Pool) -> None:
    assert await pool.fetchval("select $1::macaddr", "aabb.ccdd.eeff") == "aa:bb:cc:dd:ee:ff"


async def test_a_forgotten_transaction_is_ended_by_the_server(database: str) -> None:
    connection = await connect(database)
    assert await connection.fetchval("show idle_in_transaction_session_timeout") == "10s"
    assert await connection.fetchval("show application_name") == "ipam"
    await connection.close()


async def test_a_caller_may_lay_its_settings_over_ours(database: str) -> None:
    async with await create_pool(database, server_settings={"application_name": "ipam dhcp"}) as pool:
        assert await pool.fetchval("show application_name") == "ipam dhcp"
        assert await pool.fetchval("show idle_in_transaction_session_timeout") == "10s"


@pytest.mark.parametrize("settings", [SESSION, LEASES, LOADER])
async def test_unix_sockets_take_the_settings_of_every_session(
    database: str, settings: dict[str, str]
) -> None:
    """Keepalives mean nothing there."""
    connection = await connect_any(database, server_settings=settings)
    assert settings.items() >= LIVENESS.items()
    assert await connection.fetchval("show tcp_keepalives_idle") == "0"
    await connection.close()


async def test_arrays_of_builtin_types_are_known_without_asking(database: str) -> None:
    connection = await connect(database)
    told = {oid: (element, f"_{name}") for oid, element, name in ARRAYS}
    rows = await connection.fetch(
        "select oid, typelem, typname from pg_type where typarray = 0 and typlen = -1 and oid::int = any($1)",
        list(told),
    )
    assert {row["oid"]: (row["typelem"], row["typname"]) for row in rows} == told
    asked: list[str] = []
    connection.add_query_logger(lambda record: asked.append(record.query))
    for name in (name for _, _, name in ARRAYS):
        assert await connection.fetchval(f'select array[null, null]::pg_catalog."{name}"[]') == [None, None]
    assert not [query for query in asked if "typeinfo_tree" in query]
    await connection.close()
