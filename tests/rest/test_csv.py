"""Every list as a stream of CSV, by Accept."""

import csv
import io
import json
from typing import Any

import asyncpg
import httpx
import pytest

from api.http.listing import wants_csv
from api.importers.table.reader import read
from ipam_core.model.csv_cells import guarded, unguarded

CSV = {"accept": "text/csv"}
RESERVATIONS = """
insert into reservation (id, subnet_no, ip, mac, description)
select gen_random_uuid(), no, '10.0.0.2'::inet + n, ('02000000' || lpad(to_hex(n), 4, '0'))::macaddr, $1
from subnet, generate_series(0, $2::integer - 1) n
"""


async def rows(client: httpx.AsyncClient, path: str, **params: Any) -> list[dict[str, str]]:
    answer = await client.get(path, params=params, headers=CSV)
    assert answer.status_code == 200, answer.text
    assert answer.headers["content-type"] == "text/csv; header=present; charset=utf-8"
    assert "x-request-id" in answer.headers
    return list(csv.DictReader(io.StringIO(answer.text, newline="")))


async def test_it_holds_what_all_the_pages_hold(
    admin: httpx.AsyncClient, make: Any, subnet: dict[str, Any], pool: asyncpg.Pool
) -> None:
    wide = await make("/subnets", prefix_id=subnet["prefix_id"], cidr="10.0.16.0/20")
    await pool.execute(
        RESERVATIONS.replace("from subnet,", "from (select max(no) no from subnet) s,"), "", 2500
    )
    found = await rows(admin, f"/subnets/{wide['id']}/reservations")
    assert len(found) == len({row["ip"] for row in found}) == 2500
    page = (await admin.get("/reservations", params={"limit": 7})).json()
    assert found[:7] == [{name: value or "" for name, value in item.items()} for item in page["items"]]
    assert await rows(admin, "/reservations", limit=7) == found[:7]
    assert await rows(admin, "/reservations", cursor=page["next_cursor"]) == found[7:]
    assert await rows(admin, "/reservations", ip="10.0.0.9") == found[7:8]


async def test_any_text_comes_back(admin: httpx.AsyncClient, subnet: dict[str, Any], make: Any) -> None:
    texts = ['a,"b"\r\nc', "é;\t\n", "=1+1", " x "]
    for text in texts:
        await make("/tenants", name=text, description=text)
    await make(f"/subnets/{subnet['id']}/options", code=6, payload={"addresses": ["10.0.0.53"]})
    found = await rows(admin, "/tenants", raw="true")
    assert [(row["name"], row["description"]) for row in found[1:]] == [(text, text) for text in texts]
    assert [row["is_default"] for row in found] == ["true"] + ["false"] * 4
    option = (await rows(admin, "/options"))[0]
    assert (json.loads(option["payload"]), option["pool_id"]) == ({"addresses": ["10.0.0.53"]}, "")


FORMULAS = ["=1+1", "+1", "-1-1", "@SUM(1)*cmd|'/C calc'!A0", "\t=1", "\r=1", "'=1", "''-1"]
TEXTS = [*FORMULAS, "1-1", "a=1", "'", "'quoted'", " =1", "http://x/?=1"]


async def test_no_cell_is_a_formula_unless_asked_for(
    admin: httpx.AsyncClient, subnet: dict[str, Any], make: Any
) -> None:
    for text in TEXTS:
        await make("/tenants", name=text, description=text)
    whole = await rows(admin, "/tenants", raw="true")
    assert [row["description"] for row in whole[1:]] == TEXTS
    for found in (await rows(admin, "/tenants"), await rows(admin, "/tenants", raw="false")):
        assert [row["description"] for row in found[1:]] == [
            f"'{text}" if text in FORMULAS else text for text in TEXTS
        ]
        assert [unguarded(row["name"]) for row in found[1:]] == TEXTS
        assert not [cell for row in found for cell in row.values() if cell.startswith(tuple("=+-@\t\r"))]
    below = f"/subnets/{subnet['id']}/reservations"
    await make(below, mac="02:00:00:00:00:01", tags=["-2+3", "x"], custom={"a": "=1"})
    row = (await rows(admin, below))[0]
    assert (row["tags"], json.loads(row["custom"])) == ("'-2+3,x", {"a": "=1"})


async def test_what_a_client_sends_is_no_formula(
    admin: httpx.AsyncClient, subnet: dict[str, Any], pool: asyncpg.Pool
) -> None:
    await pool.execute(
        "insert into lease (tenant_no, address, prefix_length, subnet_no, state, client_key, granted_at, renewed_at,"
        " expires_at, reuse_at, version, vendor_class, circuit_id, remote_id, hostname)"
        " select tenant_no, '10.0.0.5', 32, no, 'a',"
        " '\\x0101020000000005', now(), now(), now() + interval '1 h', now(), 1, $1, $1, $1, '-1-1' from subnet",
        b"=cmd|'/C calc'!A0",
    )
    formula = "=cmd|'/C calc'!A0"
    row = (await rows(admin, "/leases"))[0]
    names = ("vendor_class", "circuit_id", "remote_id", "hostname")
    assert [row[name] for name in names] == [f"'{formula}"] * 3 + ["'-1-1"]
    row = (await rows(admin, "/leases", raw="true"))[0]
    assert [row[name] for name in names] == [formula] * 3 + ["-1-1"]


async def test_raw_is_true_or_false(admin: httpx.AsyncClient, refused: Any) -> None:
    answer = await admin.get("/tenants", params={"raw": "1"}, headers=CSV)
    assert refused(answer, 422, "validation_error")["field"] == "raw"
    assert (await admin.get("/tenants", params={"raw": "true"})).status_code == 200
    answer = await admin.get("/events", params={"raw": "true"}, headers={"accept": "text/event-stream"})
    assert refused(answer, 422, "validation_error")["field"] == "raw"


def test_numbers_are_no_texts() -> None:
    assert [guarded(value) for value in (-1, -0.5, None, "", True)] == [-1, -0.5, None, "", True]


@pytest.mark.parametrize("raw", ["true", "false"])
async def test_an_import_takes_back_what_was_exported(
    admin: httpx.AsyncClient, subnet: dict[str, Any], make: Any, raw: str
) -> None:
    """But for blanks around a text, which no import keeps, and apostrophes before formulas in raw tables."""
    kept = {"false": guarded, "true": unguarded}[raw]
    texts = [text for text in TEXTS if unguarded(kept(text).strip()) == text]
    assert len(texts) == len(TEXTS) - {"false": 1, "true": 5}[raw]
    for number, text in enumerate(texts, 1):
        await make(
            f"/subnets/{subnet['id']}/reservations",
            ip=f"10.0.0.{number + 9}",
            mac=f"02:00:00:00:00:{number:02x}",
            description=text,
        )
    answer = await admin.get("/reservations", params={"raw": raw}, headers=CSV)
    plan = read(answer.text, {"network": "=10.0.0.0/24"})
    assert [each.fields["description"] for each in plan.objects if each.family == "reservations"] == texts


LISTS = [
    "/leases",
    "/lease-events",
    "/events",
    "/audit",
    "/trusted-relays/unknown",
    "/tokens",
    "/nodes",
    "/search?q=10",
]


@pytest.mark.parametrize("path", LISTS)
async def test_lists_of_every_kind(admin: httpx.AsyncClient, path: str) -> None:
    answer = await admin.get(path, headers=CSV)
    assert answer.status_code == 200
    assert answer.headers["content-type"].startswith("text/csv")
    assert len(answer.text.splitlines()[0].split(",")) > 3


async def test_a_refusal_is_still_an_answer(admin: httpx.AsyncClient, connect: Any, refused: Any) -> None:
    refused(await admin.get("/reservations", params={"ip": "x"}, headers=CSV), 422, "validation_error")
    refused(await admin.get("/subnets/nothing/reservations", headers=CSV), 404, "not_found")
    refused(await connect().get("/reservations", headers=CSV), 401, "unauthorized")


@pytest.mark.parametrize(
    ("accept", "expected"),
    [
        ("", False), ("*/*", False), ("text/*", False), ("text/csv", True), ("TEXT/CSV", True), ("text/csv;q=0", False),
        ("application/json, text/csv;q=0.9", False), ("application/json;q=0.5, text/csv", True),
        ("text/csv, */*;q=0.1", True), ("text/html, text/csv;q=x", False), (",;,", False),
        ("text/csv; header=present; q=0.7, application/json; q=0.8", False),
    ],
)  # fmt: skip
def test_who_wants_csv(accept: str, expected: bool) -> None:
    assert wants_csv(accept) is expected
