"""Addresses that hosts registered themselves (RFC 9686), as the API shows them."""

from typing import Any

import asyncpg
import httpx

REGISTER = """
insert into lease (tenant_no, address, prefix_length, ia_type, subnet_no, state, granted_at, renewed_at, expires_at,
                   reuse_at, version, client_key, duid)
select tenant_no, $1, 128, 5, no, 'i', now(), now(), now() + make_interval(secs => $2),
       now() + make_interval(secs => $2),
       nextval('lease_version'), '\\x06', '\\x00030001020000000001'
from subnet where cidr = '2001:db8:1::/64'"""


async def test_a_registered_address_is_a_lease_of_its_own_state(
    admin: httpx.AsyncClient, make: Any, pool: asyncpg.Pool
) -> None:
    prefix = await make("/prefixes", cidr="2001:db8::/32")
    subnet = await make("/subnets", prefix_id=prefix["id"], cidr="2001:db8:1::/64", address_registration=True)
    assert subnet["address_registration"] is True
    await pool.execute(REGISTER, "2001:db8:1::1", 3600)
    await pool.execute(REGISTER, "2001:db8:1::9", 0)
    (lease,) = (await admin.get("/leases", params={"state": "registered"})).json()["items"]
    assert (lease["ip"], lease["duid"]) == ("2001:db8:1::1", "00:03:00:01:02:00:00:00:00:01")
    (ended,) = (await admin.get("/leases", params={"state": "expired"})).json()["items"]
    assert ended["ip"] == "2001:db8:1::9"
    free = await admin.get(f"/subnets/{subnet['id']}/free", params={"count": 3})
    assert "2001:db8:1::1" not in free.json()["items"]
    assert (await admin.post(f"/leases/{lease['id']}/release")).status_code == 409
