"""Every filter, order and cursor of every list at the ends of what it can be given: never a 500."""

import itertools
from collections.abc import Awaitable, Callable
from typing import Any
from urllib.parse import urlencode

import httpx
import pytest
from rest.asking import ask

from api.http.gate import Gate
from api.routes import HANDLERS
from ipam_core.model.page import write_cursor

LISTS = sorted(
    {
        (path, tuple(handler.opt.get("query", ())), tuple(handler.opt.get("filters", ())))
        for handler in HANDLERS
        for path in handler.paths
        if "GET" in handler.http_methods and "limit" in handler.opt.get("query", ())
    }
)
VALUES = [
    "", " ", "x", "%", "_", "\\", "'", "\x00", "\x7f", "ü", "\U0010ffff", "a" * 8000, "%" * 3000, "null", "[]", "{}",
    "0", "-0", "-1", "1", "4", "6", "00", "1e9", "2147483647", "2147483648", "9223372036854775807", "9" * 18, "9" * 400,
    "NaN", "infinity", "-infinity", "٣", "true", "false", "active", "\ufeff1",
    "0001-01-01T00:00:00Z", "0001-01-01T00:00:00+14:00", "9999-12-31T23:59:59.999999Z", "9999-12-31T23:59:59-14:00",
    "1969-12-31T23:59:59Z", "2026-02-30T00:00:00Z", "2026-01-01T00:00:00+24:00", "0000-01-01T00:00:00Z",
    "0.0.0.0", "255.255.255.255", "::", "ffff:ffff:ffff:ffff:ffff:ffff:ffff:ffff", "::ffff:10.0.0.1", "fe80::1%eth0",
    "0.0.0.0/0", "0.0.0.0/32", "255.255.255.255/32", "::/0", "::/128", "10.0.0.1/8", "10.0.0.0/33",
    "10.0.0.0/" + "9" * 30, "ff:ff:ff:ff:ff:ff", "0:0:0:0:0:0", "00", "0x", "ff" * 255, "ff" * 256,
    "00000000-0000-0000-0000-000000000000", "ffffffff-ffff-ffff-ffff-ffffffffffff",
    "{00000000-0000-0000-0000-000000000000}",
]  # fmt: skip
PARTS: list[Any] = [
    "", "x", "cidr", "-cidr", "name", "utilisation", "a" * 5000, 0, -1, 1, 2**31 - 1, 2**31, -(2**31), 2**63, 2**64,
    1e308, -0.0, None, True, [], {}, "0", "9" * 18, "9" * 19, "10.0.0.0/24", "10.0.0.1", "10.0.0.1/24", "::", "\x00",
]  # fmt: skip
ORDERS = ["cidr", "-cidr", "name", "-utilisation"]


CURSORS = [
    *("", "=", "W10", "W10=", "x" * 5000, "ü", "eyJ9", "WyJcdWQ4MDAiXQ", "WzFlOTk5XQ"),
    *(write_cursor(first) for first in PARTS),
    *(write_cursor(first, second) for first in PARTS for second in (0, "0", "9" * 18, 2**31)),
]
SORTED_CURSORS = [
    write_cursor(order, part, no) for order in ORDERS for part in PARTS for no in (1, "1", 2**31)
]


# GETs a path with a query; what it answers must not be a fault of ours.
Get = Callable[[str, dict[str, str]], Awaitable[None]]


@pytest.fixture
def get(app: Gate, admin_token: str) -> Get:
    async def read(path: str, query: dict[str, str]) -> None:
        answer = await ask(app, "GET", path, query=urlencode(query), authorization=f"Bearer {admin_token}")
        assert answer.status in (200, 404, 422), (path, query, answer.content)

    return read


@pytest.fixture
def ids(subnet: dict[str, Any]) -> dict[str, str]:
    return {"subnet_id": subnet["id"], "prefix_id": subnet["prefix_id"]}


def real(path: str, ids: dict[str, str]) -> str:
    """The path with ids of objects where there are any."""
    words = [word.strip("{}").partition(":")[0] if "{" in word else word for word in path.split("/")]
    return "/".join(ids.get(word, word) for word in words)


async def test_filters_at_their_ends(get: Get, ids: dict[str, str], request: pytest.FixtureRequest) -> None:
    """A filter that many lists have is the same code in each: between them they meet every value."""
    values = itertools.cycle(VALUES)
    for name, lists in sorted(by_name().items()):
        each = max(int(request.config.getoption("--extremes")), -(-len(VALUES) // len(lists)))
        for path, query in lists:
            for value in itertools.islice(values, min(each, len(VALUES))):
                await get(real(path, ids), needed(query) | {name: value})


def by_name() -> dict[str, list[tuple[str, tuple[str, ...]]]]:
    """Which lists, a path and what stands in its query, have a parameter of that name."""
    found: dict[str, list[tuple[str, tuple[str, ...]]]] = {}
    for path, query, filters in LISTS:
        for name in {*query, *filters, "limit", "sort", "nothing"} - {"cursor"}:
            found.setdefault(name, []).append((path, query))
    return found


async def test_cursors_that_no_list_gave(get: Get, ids: dict[str, str]) -> None:
    for path, query, _ in LISTS:
        for cursor in CURSORS:
            await get(real(path, ids), needed(query) | {"cursor": cursor})


def needed(query: tuple[str, ...]) -> dict[str, str]:
    """What the list asks for beside its filters."""
    return {"q": "x"} if "q" in query else {}


async def test_cursors_of_orders(get: Get, subnet: dict[str, Any]) -> None:
    for order in ORDERS:
        for cursor in (*CURSORS, *SORTED_CURSORS):
            await get("/subnets", {"cursor": cursor, "sort": order})


async def test_octets_that_are_no_text(admin: httpx.AsyncClient) -> None:
    for octets in ("%ff", "%ed%a0%80", "%00", "%c0%af", "%", "%zz", "%f4%90%80%80"):
        for path in (
            f"/subnets?q={octets}",
            f"/subnets?{octets}=1",
            f"/subnets/{octets}",
            f"/search?q={octets}",
        ):
            answer = await admin.get("http://127.0.0.1:8080/api/v1" + path)
            assert answer.status_code in (200, 404, 422), (path, answer.text)


async def test_the_last_moment_of_the_calendar(admin: httpx.AsyncClient) -> None:
    last = "9999-12-31T23:59:59.999999Z"
    for name in ("until", "at", "since"):
        answer = await admin.get("/lease-events", params={name: last})
        assert (answer.status_code, answer.json()["items"]) == (200, []), name


async def test_a_cursor_of_another_kind_is_refused(admin: httpx.AsyncClient, refused: Any) -> None:
    answer = await admin.get("/subnets", params={"sort": "cidr", "cursor": write_cursor("cidr", "x", 1)})
    assert refused(answer, 422, "validation_error")["field"] == "cursor"


async def test_limits_make_few_statements(admin: httpx.AsyncClient, make: Any, pool: Any) -> None:
    """Sixteen sessions keep hundreds of statements each: a text a limit was a gigabyte of a database's memory."""
    for number in range(12):
        await make("/prefixes", cidr=f"10.{number}.0.0/16")
    for limit in range(1, 60):
        answer = await admin.get("/prefixes", params={"limit": str(limit), "family": "4", "q": ""})
        found = answer.json()
        assert len(found["items"]) == min(limit, 12)
        assert (found["next_cursor"] is None) == (limit >= 12)
        await admin.get("/prefixes", params={"q": "", "family": "4", "limit": str(limit)})
    texts: set[str] = set()
    for connection in await every(pool):
        kept = await connection.fetch("select statement from pg_prepared_statements")
        texts |= {
            row["statement"] for row in kept if "limit" in row["statement"] and "prefix" in row["statement"]
        }
        await pool.release(connection)
    asked = {text for text in texts if "family(" in text}
    assert 0 < len(asked) <= 8, len(asked)


async def every(pool: Any) -> list[Any]:
    return [await pool.acquire() for _ in range(pool.get_size())]
