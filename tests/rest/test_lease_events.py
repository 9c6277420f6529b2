"""Lease history: who had which address, and when."""

from datetime import UTC, datetime, timedelta
from ipaddress import ip_address
from typing import Any

import asyncpg
import httpx
import pytest

from ipam_core.services.entity import scans

NOON = datetime.now(UTC).replace(hour=12, minute=0, second=0, microsecond=0) - timedelta(days=1)
EVENT = """
insert into lease_event (at, xid, version, granted_at, expires_at, reuse_at, tenant_no, subnet_no, prefix_length,
                         ia_type, kind, state, address, client_key, hw_type, hw_address, client_id, hostname,
                         circuit_id)
select $1, pg_current_xact_id(), $2, $1, $1::timestamptz + $3::text::interval, $1, tenant_no, no, 32, 0,
       $4::"char", 'a', $5,
       '\\x0101' || $6::bytea, 1, $6, '\\x01' || $6::bytea, $7, 'eth0/7'
from subnet
"""
ANN, BOB = bytes.fromhex("020000000001"), bytes.fromhex("020000000002")

# Minutes after noon, kind, address, client, host name; every lease lasts an hour.
STORY = [
    (0, "g", "10.0.0.10", ANN, "ann"),
    (30, "n", "10.0.0.10", ANN, "ann"),
    (40, "r", "10.0.0.10", ANN, "ann"),
    (50, "g", "10.0.0.10", BOB, "bob"),
    (55, "g", "10.0.0.11", ANN, "Annie"),
    (110, "x", "10.0.0.10", BOB, "bob"),
]


def at(minutes: float) -> str:
    return (NOON + timedelta(minutes=minutes)).isoformat().replace("+00:00", "Z")


@pytest.fixture
async def story(subnet: dict[str, Any], pool: asyncpg.Pool) -> None:
    for number, (minutes, kind, ip, who, name) in enumerate(STORY, 1):
        moment = NOON + timedelta(minutes=minutes)
        await pool.execute(EVENT, moment, 2 * number, "1 hour", kind, ip_address(ip), who, name)


async def told(client: httpx.AsyncClient, **params: Any) -> list[int]:
    """The story's lines that are found."""
    answer = await client.get("/lease-events", params=params)
    assert answer.status_code == 200, answer.text
    assert answer.json()["next_cursor"] is None
    return [int(event["id"]) // 2 - 1 for event in answer.json()["items"]]


FOUND = [
    ({}, [5, 4, 3, 2, 1, 0]),
    ({"ip": "10.0.0.10"}, [5, 3, 2, 1, 0]),
    ({"mac": "0200.0000.0001"}, [4, 2, 1, 0]),
    ({"client_id": "01020000000002"}, [5, 3]),
    ({"duid": "0001"}, []),
    ({"hostname": "ANN"}, [4, 2, 1, 0]),
    ({"event": "granted"}, [4, 3, 0]),
    ({"event": "granted", "mac": "02-00-00-00-00-02"}, [3]),
    ({"within": "10.0.0.11/32"}, [4]),
    ({"since": at(40)}, [5, 4, 3, 2]),
    ({"until": at(40)}, [1, 0]),
    ({"since": at(30), "until": at(50)}, [2, 1]),
    ({"since": "1900-01-01T00:00:00Z", "until": "2999-01-01T00:00:00Z"}, [5, 4, 3, 2, 1, 0]),
    ({"since": "2999-01-01T00:00:00Z"}, []),
    ({"until": "1900-01-01T00:00:00Z"}, []),
    # Who held it then?
    ({"ip": "10.0.0.10", "at": at(-1)}, []),
    ({"ip": "10.0.0.10", "at": at(0)}, [0]),
    ({"ip": "10.0.0.10", "at": at(35)}, [1]),
    ({"ip": "10.0.0.10", "at": at(45)}, []),
    ({"ip": "10.0.0.10", "at": at(60)}, [3]),
    ({"ip": "10.0.0.10", "at": at(115)}, []),
    ({"mac": "020000000001", "at": at(60)}, [4]),
    ({"at": at(60)}, [4, 3]),
    ({"at": at(200)}, []),
]


async def test_filters_find_what_they_mean(
    admin: httpx.AsyncClient, subnet: dict[str, Any], story: None
) -> None:
    for params, lines in FOUND:
        assert await told(admin, **params) == lines, params
    assert await told(admin, subnet_id=subnet["id"], tenant_id=subnet["tenant_id"]) == [5, 4, 3, 2, 1, 0]


async def test_an_event_says_what_happened(
    admin: httpx.AsyncClient, subnet: dict[str, Any], story: None
) -> None:
    event = (await admin.get("/lease-events", params={"event": "released"})).json()["items"][0]
    assert (event["event"], event["ip"], event["mac"]) == ("released", "10.0.0.10", "02:00:00:00:00:01")
    assert (event["subnet_id"], event["hostname"], event["circuit_id"]) == (subnet["id"], "ann", "eth0/7")
    assert event["at"] == event["created_at"] == at(40).replace("Z", ".000Z")


@pytest.fixture(params=["patient", "hasty"])
def patience(request: pytest.FixtureRequest, monkeypatch: pytest.MonkeyPatch) -> None:
    """Hasty: a page looks at one window of time, as if its second were over."""
    if request.param == "hasty":
        monkeypatch.setattr(scans, "SCAN_SECONDS", 0.0)
        monkeypatch.setattr("ipam_core.services.lease_walk.first_step", lambda *_: 1_800_000_000)


async def test_pages_hold_every_event_once(
    admin: httpx.AsyncClient, pool: asyncpg.Pool, story: None, patience: None
) -> None:
    """Several events of one moment too; what is added meanwhile is newer and disturbs nothing."""
    for extra in range(3):
        await pool.execute(EVENT, NOON, 100 + extra, "1 hour", "n", ip_address("10.0.0.12"), BOB, None)
    for limit in (1, 2, 50):
        params: dict[str, Any] = {"limit": limit, "until": at(120)}
        found: list[str] = []
        while True:
            page = (await admin.get("/lease-events", params=params)).json()
            found += [event["id"] for event in page["items"]]
            if page["next_cursor"] is None:
                break
            params["cursor"] = page["next_cursor"]
            moment = NOON + timedelta(minutes=119)
            await pool.execute(EVENT, moment, 1000, "1 hour", "n", ip_address("10.0.0.13"), BOB, None)
        assert [id_ for id_ in found if id_ != "1000"] == [
            "12",
            "10",
            "8",
            "6",
            "4",
            "102",
            "101",
            "100",
            "2",
        ]
        assert len(set(found)) == len(found) - found.count("1000") + ("1000" in found)


async def test_bad_filters_are_refused_by_name(admin: httpx.AsyncClient, refused: Any) -> None:
    for name, text in (
        ("ip", "x"), ("mac", "x"), ("at", "noon"), ("since", "1"), ("event", "taken"), ("cursor", "W10"),
        ("cursor", "WyIxIiwieCJd"), ("cursor", "WyI5OTk5OTk5OTk5OTk5OTk5OTkiLCIxIl0"), ("who", "x"),
    ):  # fmt: skip
        answer = await admin.get("/lease-events", params={name: text})
        assert refused(answer, 422, "validation_error")["field"] == name, text


async def test_a_tenants_token_sees_its_tenants_events(
    make: Any, connect: Any, story: None, subnet: dict[str, Any]
) -> None:
    tenant = await make("/tenants", name="guest")
    for tenant_id, count in ((tenant["id"], 0), (subnet["tenant_id"], 6)):
        token = await make("/tokens", name="g", role="viewer", tenant_id=tenant_id)
        found = (await connect(token["token"]).get("/lease-events")).json()["items"]
        assert len(found) == count
