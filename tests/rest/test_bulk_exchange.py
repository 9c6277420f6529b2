"""Exchanges within one bulk: the objects of a request are judged by what they are after its last operation."""

from typing import Any

import asyncpg
import httpx
import pytest

from ipam_core.settings import Settings
from tests.rest.test_bulk import create, mac


def update(path: str, **body: Any) -> dict[str, Any]:
    return {"op": "update", "path": path, "body": body}


async def three(make: Any, below: str) -> list[str]:
    """The paths of three reservations: .10 to .12, each with identifiers of its own."""
    made = [
        await make(
            f"{below}/reservations", ip=f"10.0.0.{10 + n}", mac=mac(n), client_id=f"0{n}", hostname=f"h{n}"
        )
        for n in range(3)
    ]
    return [f"/reservations/{each['id']}" for each in made]


async def seen(admin: httpx.AsyncClient, paths: list[str], *names: str) -> list[Any]:
    found = [(await admin.get(path)).json() for path in paths]
    return [tuple(each[name] for name in names) if names[1:] else each[names[0]] for each in found]


async def test_reservations_rotate_with_all_that_is_their_own(
    admin: httpx.AsyncClient, pool: asyncpg.Pool, subnet: dict[str, Any], make: Any
) -> None:
    paths = await three(make, f"/subnets/{subnet['id']}")
    names = ("ip", "mac", "client_id")
    before = await seen(admin, paths, *names)
    wanted = before[1:] + before[:1]
    operations = [update(path, **dict(zip(names, new))) for path, new in zip(paths, wanted)]  # noqa: B905
    last = await pool.fetchval("select max(no) from change")
    dry = await admin.post("/bulk", json={"operations": operations, "dry_run": True})
    assert dry.status_code == 200, dry.text
    assert await seen(admin, paths, *names) == before
    key = {"idempotency-key": "rotate"}
    answers = [await admin.post("/bulk", json={"operations": operations}, headers=key) for _ in range(2)]
    assert [answer.status_code for answer in answers] == [200, 200], answers[0].text
    assert answers[0].content == answers[1].content
    assert answers[0].json()["results"][0]["body"]["ip"] == "10.0.0.11"
    assert await seen(admin, paths, *names) == wanted
    rows = await pool.fetch(
        "select before ->> 'ip' as old, after ->> 'ip' as new from change where no > $1 order by no", last
    )
    pairs = [tuple(row.values()) for row in rows]
    assert pairs == [(old[0], new[0]) for old, new in zip(before, wanted, strict=True)]


async def test_assignments_and_reservations_swap_in_either_order(
    admin: httpx.AsyncClient, subnet: dict[str, Any], make: Any
) -> None:
    first, second = [await make("/assignments", ip=f"10.0.0.{n}", hostname=f"a{n}") for n in (20, 21)]
    held = await make(f"/subnets/{subnet['id']}/reservations", ip="10.0.0.30", mac=mac(1))
    one, two = f"/assignments/{first['id']}", f"/assignments/{second['id']}"
    three = f"/reservations/{held['id']}"
    for operations, after in [
        ([update(one, ip="10.0.0.21"), update(two, ip="10.0.0.20")], ["21", "20", "30"]),
        ([update(one, ip="10.0.0.30"), update(three, ip="10.0.0.21")], ["30", "20", "21"]),
        ([update(three, ip="10.0.0.30"), update(one, ip="10.0.0.21")], ["21", "20", "30"]),
    ]:
        answer = await admin.post("/bulk", json={"operations": operations})
        assert answer.status_code == 200, answer.text
        assert await seen(admin, [one, two, three], "ip") == [f"10.0.0.{last}" for last in after]


async def test_an_assignment_whose_holder_stays_names_both(
    admin: httpx.AsyncClient, subnet: dict[str, Any], make: Any
) -> None:
    held = await make(f"/subnets/{subnet['id']}/reservations", ip="10.0.0.30", mac=mac(1))
    one = await make("/assignments", ip="10.0.0.20", hostname="a")
    operations = [
        update(f"/assignments/{one['id']}", ip="10.0.0.30"),
        update(f"/reservations/{held['id']}", hostname="stays"),
    ]
    error = (await admin.post("/bulk", json={"operations": operations})).json()["error"]
    assert (error["code"], error["details"]["index"]) == ("conflict", 1)
    assert error["details"]["conflicts_with"]["id"] == held["id"]


async def test_the_end_is_judged_and_names_the_last_operation_and_the_other(
    admin: httpx.AsyncClient, subnet: dict[str, Any], make: Any
) -> None:
    """The second takes the address of the third, which keeps it; its last operation is the one that is named."""
    paths = await three(make, f"/subnets/{subnet['id']}")
    operations = [
        update(paths[0], ip="10.0.0.11"),
        update(paths[1], ip="10.0.0.12"),
        update(paths[2], hostname="stays"),
        update(paths[0], description="moved"),
    ]
    for dry_run in (True, False):
        answer = await admin.post("/bulk", json={"operations": operations, "dry_run": dry_run})
        assert answer.status_code == 409
        details = answer.json()["error"]["details"]
        assert (details["index"], details["field"]) == (2, "ip")
        assert details["conflicts_with"]["id"] == paths[1].rpartition("/")[2]
    assert await seen(admin, paths, "ip") == ["10.0.0.10", "10.0.0.11", "10.0.0.12"]


async def test_an_object_outside_the_request_refuses_at_its_operation(
    admin: httpx.AsyncClient, subnet: dict[str, Any], make: Any
) -> None:
    """Also when the constraint waits already, and the operation could still change its mind."""
    paths = await three(make, f"/subnets/{subnet['id']}")
    swap = [update(paths[0], ip="10.0.0.11"), update(paths[1], ip="10.0.0.10")]
    for operations, index in [
        ([update(paths[0], ip="10.0.0.12"), update(paths[0], ip="10.0.0.50")], 0),
        ([*swap, update(paths[0], ip="10.0.0.12"), update(paths[0], ip="10.0.0.50")], 2),
    ]:
        details = (await admin.post("/bulk", json={"operations": operations})).json()["error"]["details"]
        assert (details["index"], details["conflicts_with"]["id"]) == (index, paths[2].rpartition("/")[2])


@pytest.mark.parametrize("shift", [0, 1], ids=["nothing is exchanged", "all rotate"])
async def test_a_long_bulk_takes_no_savepoint_per_operation(
    admin: httpx.AsyncClient, pool: asyncpg.Pool, subnet: dict[str, Any], make: Any, shift: int
) -> None:
    """PostgreSQL keeps 64 subtransactions of a session in shared memory; with more, snapshots of all sessions slow.
    Each that writes has a number of its own, which its rows show."""
    below = f"/subnets/{subnet['id']}/reservations"
    bodies = [create(below, ip=f"10.0.0.{n}", mac=mac(n)) for n in range(10, 110)]
    made = (await admin.post("/bulk", json={"operations": bodies})).json()["results"]
    operations = [
        update(f"/reservations/{each['body']['id']}", ip=other["body"]["ip"], hostname=f"h{n}")
        for n, (each, other) in enumerate(zip(made, made[shift:] + made[:shift], strict=True))
    ]
    answer = await admin.post("/bulk", json={"operations": operations})
    assert answer.status_code == 200, answer.text
    assert await pool.fetchval("select count(distinct xmin::text) from reservation") == 1


async def test_what_is_made_and_deleted_takes_part(
    admin: httpx.AsyncClient, subnet: dict[str, Any], make: Any
) -> None:
    paths = await three(make, f"/subnets/{subnet['id']}")
    operations = [
        create(f"/subnets/{subnet['id']}/reservations", "new", ip="10.0.0.10", mac=mac(9)),
        create(f"/subnets/{subnet['id']}/reservations", ip="10.0.0.60", mac=mac(9)),
        {"op": "delete", "path": paths[0]},
        update("/reservations/$new", mac=mac(0)),
    ]
    answer = await admin.post("/bulk", json={"operations": operations})
    assert answer.status_code == 200, answer.text
    listed = (await admin.get("/reservations")).json()["items"]
    assert {each["ip"]: each["mac"] for each in listed} == {
        "10.0.0.10": mac(0), "10.0.0.11": mac(1), "10.0.0.12": mac(2), "10.0.0.60": mac(9)
    }  # fmt: skip


NAMED = [
    ("/client-classes", {"vendor_class": "x"}, "name", "one", "two"),
    ("/dns-servers", {"adapter": "embedded"}, "name", "one", "two"),
    ("/trusted-relays", {}, "cidr", "192.0.2.0/24", "198.51.100.0/24"),
    ("/reservations", {}, "mac", mac(1), mac(2)),
    ("/global-options", {"payload": {"hex": "01"}}, "code", 230, 231),
    ("/option-definitions", {"kind": "string", "code": (230, 231)}, "name", "one", "two"),
]


@pytest.mark.parametrize(("path", "body", "field", "old", "new"), NAMED, ids=[each[0] for each in NAMED])
async def test_names_and_identifiers_swap(
    admin: httpx.AsyncClient, make: Any, path: str, body: dict[str, Any], field: str, old: Any, new: Any
) -> None:
    bodies = [{k: v[n] if isinstance(v, tuple) else v for k, v in body.items()} for n in (0, 1)]
    made = [
        await make(path, **each, **{field: value}) for each, value in zip(bodies, (old, new), strict=True)
    ]
    item = "/options" if path == "/global-options" else path
    paths = [f"{item}/{each['id']}" for each in made]
    operations = [update(paths[0], **{field: new}), update(paths[1], **{field: old})]
    answer = await admin.post("/bulk", json={"operations": operations})
    assert answer.status_code == 200, answer.text
    assert await seen(admin, paths, field) == [new, old]


async def test_networks_and_ranges_are_judged_at_each_operation(
    admin: httpx.AsyncClient, subnet: dict[str, Any], make: Any
) -> None:
    ranges = [
        {"start_ip": "10.0.0.100", "end_ip": "10.0.0.119"},
        {"start_ip": "10.0.0.120", "end_ip": "10.0.0.159"},
    ]
    made = [await make(f"/subnets/{subnet['id']}/pools", **each) for each in ranges]
    paths = [f"/pools/{each['id']}" for each in made]
    operations = [update(paths[0], **ranges[1]), update(paths[1], **ranges[0])]
    details = (await admin.post("/bulk", json={"operations": operations})).json()["error"]["details"]
    assert (details["index"], details["conflicts_with"]["id"]) == (0, made[1]["id"])


async def test_an_exclude_and_a_reservation_change_places(
    admin: httpx.AsyncClient, subnet: dict[str, Any], make: Any
) -> None:
    below = f"/subnets/{subnet['id']}"
    exclude = await make(f"{below}/excludes", start_ip="10.0.0.40", end_ip="10.0.0.49")
    held = await make(f"{below}/reservations", ip="10.0.0.30", mac=mac(1))
    moved = update(f"/excludes/{exclude['id']}", start_ip="10.0.0.30", end_ip="10.0.0.39")
    stays = update(f"/reservations/{held['id']}", hostname="stays")
    details = (await admin.post("/bulk", json={"operations": [moved, stays]})).json()["error"]["details"]
    assert (details["index"], details["conflicts_with"]["id"]) == (1, held["id"])
    swap = [moved, update(f"/reservations/{held['id']}", ip="10.0.0.40")]
    answer = await admin.post("/bulk", json={"operations": swap})
    assert answer.status_code == 200, answer.text


async def test_events_tell_of_both_as_they_were_and_are(
    admin: httpx.AsyncClient, pool: asyncpg.Pool, subnet: dict[str, Any], make: Any
) -> None:
    paths = await three(make, f"/subnets/{subnet['id']}")
    swap = [update(paths[0], ip="10.0.0.11"), update(paths[1], ip="10.0.0.10")]
    assert (await admin.post("/bulk", json={"operations": swap})).status_code == 200
    found = (await admin.get("/audit", params={"limit": 2})).json()["items"]
    events = (await admin.get("/events", params={"limit": 1000})).json()["items"]
    changes = [each["data"] for each in events if each["type"] == "reservation.updated"]
    for rows in (found, changes):
        told = {each["object_id"]: (each["before"]["ip"], each["after"]["ip"]) for each in rows}
        assert told == {
            paths[0].rpartition("/")[2]: ("10.0.0.10", "10.0.0.11"),
            paths[1].rpartition("/")[2]: ("10.0.0.11", "10.0.0.10"),
        }


class TestUnderACap:
    @pytest.fixture
    def settings(self) -> Settings:
        return Settings(rate_limit=0, token_rate_limit=0, managed_address_limit=3)

    async def test_the_cap_fails_at_its_operation(
        self, admin: httpx.AsyncClient, subnet: dict[str, Any], make: Any
    ) -> None:
        """What was tried twice counts once."""
        paths = await three(make, f"/subnets/{subnet['id']}")
        swap = [update(paths[0], ip="10.0.0.11"), update(paths[1], ip="10.0.0.10")]
        assert (await admin.post("/bulk", json={"operations": swap})).status_code == 200
        more = create(f"/subnets/{subnet['id']}/reservations", ip="10.0.0.11", mac=mac(9))
        back = [
            more,
            update(paths[0], ip="10.0.0.10"),
            update(paths[1], ip="10.0.0.12"),
            update(paths[2], ip="10.0.0.70"),
        ]
        answer = await admin.post("/bulk", json={"operations": back})
        assert (answer.json()["error"]["code"], answer.json()["error"]["details"]["index"]) == (
            "license_limit",
            0,
        )
