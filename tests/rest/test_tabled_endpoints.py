"""Every endpoint that the specification tables, in the order in which an import script calls them."""

from typing import Any

import httpx

PATHS = {"prefix": "/prefixes", "subnet": "/subnets"}


async def test_a_cutover_recreates_a_network(stranger: httpx.AsyncClient, connect: Any) -> None:
    token = (await stranger.post("/tokens", json={"name": "import", "role": "admin"})).json()
    admin = connect(token["token"])
    made = []

    async def create(path: str, **fields: Any) -> dict[str, Any]:
        response = await admin.post(path, json=fields)
        assert response.status_code == 201, response.text
        created: dict[str, Any] = response.json()
        assert {name: created[name] for name in fields if name != "mac"} == {
            name: value for name, value in fields.items() if name != "mac"
        }
        assert {"id", "created_at", "updated_at"} <= set(created)
        made.append((response.headers["location"].removeprefix("/api/v1"), created))
        return created

    prefix = await create("/prefixes", cidr="10.20.0.0/16", description="site A")
    subnet = await create(
        "/subnets", prefix_id=prefix["id"], cidr="10.20.1.0/24", gateway="10.20.1.1", lease_time_seconds=3600
    )
    below = f"/subnets/{subnet['id']}"
    await create(f"{below}/excludes", start_ip="10.20.1.1", end_ip="10.20.1.9")
    await create(f"{below}/pools", name="clients", start_ip="10.20.1.100", end_ip="10.20.1.199")
    printer = await create(
        f"{below}/reservations", ip="10.20.1.50", mac="AA-BB-CC-00-11-22", hostname="printer"
    )
    assert printer["mac"] == "aa:bb:cc:00:11:22"
    await create(f"{below}/options", code=6, payload={"addresses": ["10.20.1.53", "10.20.2.53"]})
    await create(f"{below}/options", code=15, payload={"string": "site-a.example"})

    for location, created in made:
        assert (await admin.get(location)).json() == created
    hits = (await admin.get("/search", params={"q": "printer"})).json()
    assert hits["items"] == [
        {
            "type": "reservation",
            "id": printer["id"],
            "label": "10.20.1.50 printer",
            "match": "hostname",
            "subnet_id": subnet["id"],
        }
    ]
    assert (await admin.get("/leases", params={"limit": 50})).json() == {"items": [], "next_cursor": None}


async def test_defaults_of_a_subnet_are_the_decided_ones(subnet: dict[str, Any]) -> None:
    expected = {
        "lease_time_seconds": 86400,
        "dhcp_enabled": True,
        "authoritative": True,
        "match_client_id": False,
        "decline_quarantine_seconds": 86400,
        "ping_check": False,
        "rapid_commit": False,
        "cache_threshold": 0.25,
        "reuse_margin_seconds": 10,
        "ddns_enabled": False,
        "ddns_override_no_update": False,
        "ddns_override_client_update": False,
        "ddns_replace_client_name": "never",
        "renew_time_seconds": None,
        "relay_addresses": [],
        "ntp_servers": [],
    }
    assert {name: subnet[name] for name in expected} == expected
