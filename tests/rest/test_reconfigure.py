"""A DHCPv6 client is told to renew because somebody asks for it: who may, of which leases, and what is written."""

from typing import Any

import asyncpg
import httpx
import pytest

LEASE = """
insert into lease (tenant_no, address, prefix_length, ia_type, iaid, subnet_no, state, granted_at, renewed_at,
                   expires_at, reuse_at, version, client_key, duid, accepts_reconfigure)
select tenant_no, $1, 128, 3, 1, no, $2, now(), now(), now() + interval '1 hour', now() + interval '1 hour',
       nextval('lease_version'), '\\x06'::bytea || $4, $4, $3
from subnet"""
DUID = b"\0\3\0\1\2\0\0\0\0\1"
ADDRESS = "2001:db8:1::5"

Add = Any


@pytest.fixture
async def lease(make: Any, pool: asyncpg.Pool) -> Add:
    """Adds a lease and answers its path; without more words an active one whose client is willing."""
    prefix = await make("/prefixes", cidr="2001:db8::/32")
    await make("/subnets", prefix_id=prefix["id"], cidr="2001:db8:1::/64")

    async def add(client: httpx.AsyncClient, state: str = "a", accepts: bool | None = True) -> str:
        await pool.execute(LEASE, ADDRESS, state, accepts, DUID)
        found = (await client.get("/leases", params={"ip": ADDRESS})).json()["items"]
        return f"/leases/{found[0]['id']}"

    return add


@pytest.mark.parametrize(
    ("body", "message"),
    [(None, "renew"), ({}, "renew"), ({"message": "rebind"}, "rebind"),
     ({"message": "information_request"}, "information_request")],
)  # fmt: skip
async def test_what_is_asked_for_is_a_change_that_the_servers_read(
    admin: httpx.AsyncClient, lease: Add, pool: asyncpg.Pool, body: Any, message: str
) -> None:
    path = await lease(admin)
    before = await pool.fetchval("select max(no) from change")
    answer = await admin.post(f"{path}/reconfigure", json=body) if body is not None else await admin.post(
        f"{path}/reconfigure"
    )  # fmt: skip
    assert answer.status_code == 202, answer.text
    told = answer.json()
    assert (told["ip"], told["duid"], told["message"]) == (ADDRESS, DUID.hex(":"), message)
    assert told["lease_id"] == path.rpartition("/")[2]
    row = await pool.fetchrow("select * from change where no > $1", before)
    assert (row["object_type"], row["action"], row["object_id"]) == ("reconfiguration", "created", told["id"])
    assert (row["before"], row["after"], row["subnet_no"]) == (None, told, None)
    (entry,) = (await admin.get("/audit", params={"object_type": "reconfiguration"})).json()["items"]
    assert (entry["after"], entry["token_name"]) == (told, "root")


async def test_a_later_message_is_above_an_earlier_one(
    admin: httpx.AsyncClient, lease: Add, pool: asyncpg.Pool
) -> None:
    """By that its client knows it from one that somebody sends again; in microseconds by the database's clock."""
    path = await lease(admin)
    values = [(await admin.post(f"{path}/reconfigure")).json()["replay"] for _ in range(3)]
    assert sorted(set(values)) == values
    now = await pool.fetchval("select extract(epoch from now() - '2000-01-01 00:00+00'::timestamptz)::float8")
    assert 0 <= now - values[-1] / 1e6 < 60


@pytest.mark.parametrize(
    ("state", "shown"), [("r", "released"), ("x", "expired"), ("v", "revoked"), ("d", "declined")]
)
async def test_a_lease_that_has_ended_is_nobodys_to_renew(
    admin: httpx.AsyncClient, lease: Add, refused: Any, state: str, shown: str
) -> None:
    path = await lease(admin, state)
    assert refused(await admin.post(f"{path}/reconfigure"), 409, "conflict") == {"state": shown}


@pytest.mark.parametrize("accepts", [False, None])
async def test_a_client_that_did_not_say_that_it_accepts(
    admin: httpx.AsyncClient, lease: Add, refused: Any, pool: asyncpg.Pool, accepts: bool | None
) -> None:
    path = await lease(admin, accepts=accepts)
    refused(await admin.post(f"{path}/reconfigure"), 409, "conflict")
    assert await pool.fetchval("select count(*) from change where object_type = 'reconfiguration'") == 0


@pytest.mark.parametrize(
    ("body", "field"),
    [({"message": "reboot"}, "message"), ({"message": None}, "message"), ({"msg": 1}, "msg")],
)
async def test_a_body_that_does_not_fit_is_named(
    admin: httpx.AsyncClient, lease: Add, refused: Any, body: Any, field: str
) -> None:
    path = await lease(admin)
    details = refused(await admin.post(f"{path}/reconfigure", json=body), 422, "validation_error")
    assert field in str(details)


async def test_only_admins_and_only_their_own(
    admin: httpx.AsyncClient, lease: Add, make: Any, connect: Any, refused: Any
) -> None:
    path = await lease(admin)
    for role in ("operator", "viewer"):
        client = connect((await make("/tokens", name=role, role=role))["token"])
        refused(await client.post(f"{path}/reconfigure"), 403, "forbidden")
    tenant = await make("/tenants", name="other")
    theirs = connect((await make("/tokens", name="t", role="admin", tenant_id=tenant["id"]))["token"])
    refused(await theirs.post(f"{path}/reconfigure"), 404, "not_found")
    refused(await admin.post("/leases/x/reconfigure"), 404, "not_found")
