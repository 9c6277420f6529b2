"""A single reservation or assignment is one statement, decided by the rules of all others and recorded as they are."""

import asyncio
from typing import Any

import asyncpg
import httpx
import pytest

from ipam_core.services.entity import crud

BODY = {"mac": "02:00:00:00:00:01", "hostname": "Host-1", "circuit_id": "port 1", "description": "x"}

LEASE = """
insert into lease (tenant_no, address, prefix_length, subnet_no, state, granted_at, renewed_at, expires_at, reuse_at,
                   version, client_key)
select tenant_no, $1::inet, 32, no, $2::"char", now(), now(), now(), now() + $3 * interval '1 second',
       nextval('lease_version'), '\\x01'
from subnet
"""


@pytest.fixture
def stepwise(monkeypatch: pytest.MonkeyPatch) -> list[str]:
    """The entities whose objects were not made at once."""
    made: list[str] = []
    real = crud.create_stepwise

    async def create(connection: Any, entity: Any, *rest: Any) -> Any:
        made.append(entity.name)
        return await real(connection, entity, *rest)

    monkeypatch.setattr(crud, "create_stepwise", create)
    return made


async def last_change(pool: asyncpg.Pool) -> Any:
    return await pool.fetchrow("select * from change order by no desc limit 1")


@pytest.mark.parametrize("chosen", [{"ip": "10.0.0.9"}, {}])
async def test_it_is_recorded_as_step_by_step(
    admin: httpx.AsyncClient,
    subnet: dict[str, Any],
    pool: asyncpg.Pool,
    stepwise: list[str],
    chosen: dict[str, str],
) -> None:
    path = f"/subnets/{subnet['id']}/reservations"
    rows, answers = [], []
    for headers in ({}, {"idempotency-key": "one"}):
        made = await admin.post(path, json=BODY | chosen, headers=headers)
        assert made.status_code == 201, made.text
        rows.append(await last_change(pool))
        answers.append(made.json())
        item = f"/reservations/{made.json()['id']}"
        assert (await admin.get(item)).json() == rows[-1]["after"] == made.json()
        await admin.delete(item)
    assert stepwise == ["reservation"]  # the one with a key
    for differs in ("id", "created_at", "updated_at"):
        assert answers[0].pop(differs) != answers[1].pop(differs)
    assert answers[0] == answers[1]
    for name in ("tenant_no", "subnet_no", "object_type", "action", "before", "token_id", "remote_address"):
        assert rows[0][name] == rows[1][name]


async def test_servers_are_told_once_it_is_committed(
    admin: httpx.AsyncClient, pool: asyncpg.Pool, subnet: dict[str, Any], stepwise: list[str]
) -> None:
    heard: asyncio.Queue[str] = asyncio.Queue()
    async with pool.acquire() as listener:
        await listener.add_listener("ipam_change", lambda *said: heard.put_nowait(said[-1]))
        await admin.post(f"/subnets/{subnet['id']}/reservations", json=BODY)
        assert await asyncio.wait_for(heard.get(), 10) == str(await pool.fetchval("select no from subnet"))
        await listener.reset()
    assert stepwise == []


async def test_a_subnet_that_has_changed_is_looked_at_again(
    admin: httpx.AsyncClient, make: Any, refused: Any, stepwise: list[str]
) -> None:
    """What is remembered of a subnet decides nothing."""
    prefix = await make("/prefixes", cidr="10.8.0.0/16")
    subnet = await make("/subnets", prefix_id=prefix["id"], cidr="10.8.0.0/24")
    path = f"/subnets/{subnet['id']}/reservations"
    await make(path, ip="10.8.0.9", mac="02:00:00:00:00:01")
    await admin.patch(f"/subnets/{subnet['id']}", json={"cidr": "10.8.0.0/23"})
    await make(path, ip="10.8.1.9", mac="02:00:00:00:00:02")
    assert stepwise.count("reservation") == 1  # by which it was noticed
    await make(path, ip="10.8.0.255", mac="02:00:00:00:00:03")
    assert stepwise.count("reservation") == 1
    details = refused(
        await admin.post(path, json={"ip": "10.8.1.255", "mac": "02:00:00:00:00:04"}), 422, "validation_error"
    )
    assert details["field"] == "ip"
    for item in (await admin.get(path)).json()["items"]:
        if item["ip"] != "10.8.0.9":
            await admin.delete(f"/reservations/{item['id']}")
    assert (await admin.patch(f"/subnets/{subnet['id']}", json={"cidr": "10.8.0.0/25"})).status_code == 200
    for ip in ("10.8.0.127", "10.8.0.200"):
        answer = await admin.post(path, json={"ip": ip, "mac": "02:00:00:00:00:0a"})
        assert refused(answer, 422, "validation_error")["field"] == "ip"


async def test_what_is_in_the_way_is_named(
    admin: httpx.AsyncClient, subnet: dict[str, Any], make: Any, refused: Any, stepwise: list[str]
) -> None:
    path = f"/subnets/{subnet['id']}/reservations"
    await make(f"/subnets/{subnet['id']}/excludes", start_ip="10.0.0.20", end_ip="10.0.0.29")
    await make("/assignments", ip="10.0.0.30", hostname="x", subnet_id=subnet["id"])
    await make(path, ip="10.0.0.40", mac="02:00:00:00:00:01")
    stepwise.clear()
    for ip, holder in (("10.0.0.25", "exclude"), ("10.0.0.30", "assignment"), ("10.0.0.40", "reservation")):
        answer = await admin.post(path, json={"ip": ip, "mac": "02:00:00:00:00:02"})
        assert refused(answer, 409, "conflict")["conflicts_with"]["type"] == holder
    assert stepwise == ["reservation"] * 3
    await make(path, ip="10.0.0.41", mac="02:00:00:00:00:02")
    assert stepwise == ["reservation"] * 3


@pytest.mark.parametrize("named", [True, False])
async def test_an_assignment_is_recorded_as_step_by_step(
    admin: httpx.AsyncClient, subnet: dict[str, Any], pool: asyncpg.Pool, stepwise: list[str], named: bool
) -> None:
    body = {"ip": "10.0.0.9", "hostname": "Host-1", "description": "x"}
    rows, answers = [], []
    for headers in ({}, {"idempotency-key": "one"}):
        wanted = body | ({"subnet_id": subnet["id"]} if named else {})
        made = await admin.post("/assignments", json=wanted, headers=headers)
        assert made.status_code == 201, made.text
        rows.append(await last_change(pool))
        answers.append(made.json())
        item = f"/assignments/{made.json()['id']}"
        assert (await admin.get(item)).json() == rows[-1]["after"] == made.json()
        await admin.delete(item)
    assert stepwise == ["assignment"]  # the one with a key
    for differs in ("id", "created_at", "updated_at"):
        assert answers[0].pop(differs) != answers[1].pop(differs)
    assert answers[0] == answers[1]
    for name in ("tenant_no", "subnet_no", "object_type", "action", "before", "token_id", "remote_address"):
        assert rows[0][name] == rows[1][name]


async def test_what_is_in_the_way_of_an_assignment_is_named(
    admin: httpx.AsyncClient, subnet: dict[str, Any], make: Any, refused: Any, stepwise: list[str]
) -> None:
    await make(f"/subnets/{subnet['id']}/reservations", ip="10.0.0.40", mac="02:00:00:00:00:01")
    await make("/assignments", ip="10.0.0.30", hostname="x", subnet_id=subnet["id"])
    assert stepwise == []
    for ip, holder in (("10.0.0.30", "assignment"), ("10.0.0.40", "reservation")):
        answer = await admin.post("/assignments", json={"ip": ip, "hostname": "y", "subnet_id": subnet["id"]})
        assert refused(answer, 409, "conflict")["conflicts_with"]["type"] == holder
    answer = await admin.post("/assignments", json={"ip": "10.0.0.0", "hostname": "y"})
    assert refused(answer, 422, "validation_error")["field"] == "ip"
    assert stepwise == ["assignment"] * 3


@pytest.mark.parametrize(
    ("state", "lasts", "status"),
    [("a", 60, 409), ("a", -60, 201), ("d", 60, 201)],
    ids=["leased", "ended", "quarantined"],
)
async def test_the_lease_table_decides_over_an_assignment_at_once(
    admin: httpx.AsyncClient,
    subnet: dict[str, Any],
    pool: asyncpg.Pool,
    make: Any,
    state: str,
    lasts: int,
    status: int,
) -> None:
    await make(f"/subnets/{subnet['id']}/pools", start_ip="10.0.0.50", end_ip="10.0.0.59")
    await pool.execute(LEASE, "10.0.0.50", state, lasts)
    answer = await admin.post("/assignments", json={"ip": "10.0.0.50", "hostname": "x"})
    assert answer.status_code == status, answer.text
    claimed = await pool.fetchval("select count(*) from address_claim where address = '10.0.0.50'")
    assert claimed == (status == 201 and lasts < 0)
