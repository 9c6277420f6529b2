"""The secondaries of a zone as the API shows them: to whom they belong, in the zone's order."""

from typing import Any

import asyncpg
import httpx

from ipam_core.dns.serials import FARTHEST

SEEN = """
insert into dns_secondary (zone_no, dns_server_no, serial, seen_at, differs_since, refusal, refused_at)
select dns_zone.no, dns_server.no, $3, now(), now(), $4, now() from dns_zone, dns_server
where dns_zone.name = $1 and dns_server.name = $2"""
PUBLISHED = """
insert into dns_published select no, name, $2, 1, 'm', 'r', 1, 1, 1, 1, now() from dns_zone where name = $1"""


async def server(make: Any, name: str, **more: Any) -> str:
    fields = {
        "adapter": "bind_tsig",
        "key_name": "k",
        "key_algorithm": "hmac-sha256",
        "secret": "c2VjcmV0c2VjcmV0",
    }
    made = await make("/dns-servers", name=name, address="192.0.2.53", **fields, **more)
    return str(made["id"])


async def test_secondaries_of_a_zone(
    admin: httpx.AsyncClient, make: Any, pool: asyncpg.Pool, refused: Any
) -> None:
    ids = [await server(make, name) for name in ("ns3", "ns1", "ns2", "ns4")]
    zone = await make("/dns-zones", name="s.test", secondary_ids=ids)
    path = f"/dns-zones/{zone['id']}/secondaries"
    found = (await admin.get(path)).json()["items"]
    assert [(each["name"], each["state"], each["serial"]) for each in found] == [
        ("ns3", "not_served", None), ("ns1", "not_served", None), ("ns2", "not_served", None),
        ("ns4", "not_served", None),
    ]  # fmt: skip
    await pool.execute(PUBLISHED, "s.test", 3)
    for name, serial, refusal in (
        ("ns3", 3, None), ("ns1", 0xFFFFFFFE, "192.0.2.53 answered NOTIFY with REFUSED"), ("ns2", 9, None),
    ):  # fmt: skip
        await pool.execute(SEEN, "s.test", name, serial, refusal)
    found = (await admin.get(path)).json()["items"]
    assert [(each["state"], each["serials_behind"]) for each in found] == [
        ("current", None), ("behind", 5), ("ahead", None), ("unknown", None),
    ]  # fmt: skip
    assert found[1]["last_refusal"] == "192.0.2.53 answered NOTIFY with REFUSED"
    assert found[1]["behind_since"] is not None
    assert [each["address"] for each in found] == ["192.0.2.53"] * 4
    refused(await admin.get(f"{path}?limit=1"), 422, "validation_error")
    refused(await admin.get(f"/dns-zones/{ids[0]}/secondaries"), 404, "not_found")
    await admin.patch(f"/dns-zones/{zone['id']}", json={"secondary_ids": ids[:1]})
    assert [each["name"] for each in (await admin.get(path)).json()["items"]] == ["ns3"]
    assert (await admin.delete(f"/dns-zones/{zone['id']}")).status_code == 204
    assert await pool.fetchval("select count(*) from dns_secondary") == 0


async def test_the_inbox_has_those_that_do_not_follow(
    admin: httpx.AsyncClient, make: Any, connect: Any, pool: asyncpg.Pool
) -> None:
    """Of which an event has told: for less than five minutes each one may be behind. A tenant sees its own."""
    tenant = await make("/tenants", name="guest")
    guest = connect((await make("/tokens", name="g", role="viewer", tenant_id=tenant["id"]))["token"])
    ids = [await server(make, name) for name in ("ns1", "ns2", "ns3")]
    zone = await make("/dns-zones", name="s.test", secondary_ids=ids)
    await pool.execute("update dns_zone set dns_enabled = true")
    await pool.execute(PUBLISHED, "s.test", 9)
    for name, serial in (("ns1", 9), ("ns2", 7), ("ns3", 8)):
        await pool.execute(SEEN, "s.test", name, serial, None)

    async def lagging(client: httpx.AsyncClient, **query: str) -> list[tuple[str, str, str, int]]:
        found = (await client.get("/dashboard/inbox", params=query)).json()["lagging_secondaries"]
        return [(each["zone"], each["name"], each["state"], each["serials_behind"]) for each in found]

    assert await lagging(admin) == []
    await pool.execute("update dns_secondary set told_state = 'current' where serial = 9")
    await pool.execute("update dns_secondary set told_state = 'behind' where serial = 7")
    assert await lagging(admin) == [("s.test", "ns2", "behind", 2)]
    assert await lagging(admin, tenant_id=zone["tenant_id"]) == [("s.test", "ns2", "behind", 2)]
    assert await lagging(admin, tenant_id=tenant["id"]) == await lagging(guest) == []
    assert await lagging(admin, tenant_id="nobody") == []


async def test_a_serial_is_not_raised_twice_before_secondaries_follow(
    admin: httpx.AsyncClient, make: Any, pool: asyncpg.Pool, refused: Any
) -> None:
    """They would take the second one for an earlier serial (RFC 1982), and keep their copy for ever."""
    id_ = await server(make, "ns1")
    zone = await make("/dns-zones", name="s.test", secondary_ids=[id_])
    item, first = f"/dns-zones/{zone['id']}", 7 + FARTHEST
    await pool.execute(PUBLISHED, "s.test", first)
    await pool.execute(SEEN, "s.test", "ns1", 7, None)
    details = refused(await admin.patch(item, json={"serial": first + FARTHEST}), 409, "conflict")
    assert (details["field"], details["held"]) == ("serial", 7)
    assert (await admin.patch(item, json={"serial": first + 5})).status_code == 200
    await pool.execute("update dns_zone set wanted_serial = null")
    await pool.execute("update dns_secondary set serial = $1", first)
    assert (await admin.patch(item, json={"serial": first + FARTHEST})).status_code == 200


async def test_nor_while_others_that_copy_the_zone_may_have_the_one_before(
    admin: httpx.AsyncClient, make: Any, pool: asyncpg.Pool, refused: Any
) -> None:
    """They look for a new serial within refresh_seconds and retry_seconds."""
    zone = await make("/dns-zones", name="s.test", transfer_networks=["192.0.2.0/24"])
    item, first = f"/dns-zones/{zone['id']}", 7 + FARTHEST
    await pool.execute(PUBLISHED, "s.test", first)
    await pool.execute(
        "insert into dns_zone_delta (zone_no, serial, previous, at, soa, previous_soa, removed, added) "
        "select no, $1, 7, now(), '', '', '[]', '[]' from dns_zone",
        first,
    )
    refused(await admin.patch(item, json={"serial": first + FARTHEST}), 409, "conflict")
    await pool.execute("update dns_zone_delta set at = now() - interval '3 hours'")
    assert (await admin.patch(item, json={"serial": first + FARTHEST})).status_code == 200
