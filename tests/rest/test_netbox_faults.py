"""Whatever is wrong with the other side is said by the field that mends it, and what was done before it stands."""

import asyncio
import json
import socket
import ssl
from collections.abc import AsyncIterator
from pathlib import Path
from typing import Any

import asyncpg
import httpx
import pytest
import structlog
from cli.test_tls import write_pair
from rest.netbox_server import CUT, V1, V2, Answer, NetBox

from ipam_core.setting_values import network
from ipam_core.settings import Settings


@pytest.fixture
def settings() -> Settings:
    """NetBox is on loopback here, which must be listed."""
    return Settings(rate_limit=0, token_rate_limit=0, outbound_allow=(network("127.0.0.0/8"),))


@pytest.fixture
async def netbox() -> AsyncIterator[NetBox]:
    async with NetBox().serving() as served:
        for number in range(4):
            served.add(f"10.{number}.0.0/16")
        yield served


def body(netbox: NetBox, **fields: Any) -> dict[str, Any]:
    return {"url": netbox.url, "token": V2} | fields


async def test_a_later_page_that_fails(admin: httpx.AsyncClient, netbox: NetBox) -> None:
    """What came before is made, and the cursor goes on at the page that failed."""
    netbox.page_size = 2
    for fault, words in (
        (Answer(500, "<h1>Server Error</h1>"), "answers 500"),
        (CUT, "its answer was incomplete"),
        (Answer(200, {"results": 5}), "did not answer like NetBox 4"),
    ):
        netbox.faults = {len(netbox.asked("GET")) + 2: fault}
        first = (await admin.post("/netbox/import", json=body(netbox, dry_run=True))).json()
        assert [each["cidr"] for each in first["created"]] == ["10.0.0.0/16", "10.1.0.0/16"]
        [error] = first["errors"]
        assert (error["cidr"], error["field"]) == (None, "url")
        assert words in error["detail"]
        rest = (
            await admin.post("/netbox/import", json=body(netbox, cursor=first["next_cursor"], dry_run=True))
        ).json()
        assert [each["cidr"] for each in rest["created"]] == ["10.2.0.0/16", "10.3.0.0/16"]
        assert rest["next_cursor"] is None


async def test_netbox_asks_to_wait(admin: httpx.AsyncClient, netbox: NetBox, refused: Any) -> None:
    netbox.faults[1] = Answer(429, {"detail": "Request was throttled."}, {"retry-after": "0"})
    result = (await admin.post("/netbox/import", json=body(netbox))).json()
    assert (len(result["created"]), len(netbox.asked("GET"))) == (4, 2)
    netbox.faults[3] = Answer(429, {"detail": "Request was throttled."}, {"retry-after": "3600"})
    answer = await admin.post("/netbox/import", json=body(netbox))
    refused(answer, 503, "unavailable")
    assert "3600 s" in answer.json()["error"]["message"]


@pytest.mark.parametrize(
    ("fault", "field", "words"),
    [
        (Answer(200, "<!DOCTYPE html>"), "url", "did not return JSON"),
        (
            Answer(302, "", {"location": "https://sso.example/"}),
            "url",
            "https://sso.example/, which is not followed",
        ),
        (Answer(404, {"detail": "Not found."}), "url", "without /api"),
        (Answer(400, {"site": [V2]}), "site", "site: ..."),
        (Answer(400, {"detail": "Bad Request"}), "url", "answers 400"),
        (Answer(403, {"detail": "Token expired"}), "token", "Token expired"),
        (Answer(403, {"detail": f"Invalid token {V2}"}), "token", "Invalid token ..."),
        (Answer(403, "<html>blocked</html>"), "token", "no reason given"),
        (Answer(200, {"count": 1, "next": "http://x/?page=2", "results": []}), "url", "neither offset"),
        (
            Answer(200, {"count": 1, "next": "http://x/?offset=0", "results": []}),
            "url",
            "does not follow",
        ),
        (Answer(200, [1, 2]), "url", "did not answer like NetBox 4"),
    ],
)
async def test_answers_that_are_none(
    admin: httpx.AsyncClient, netbox: NetBox, refused: Any, fault: Answer, field: str, words: str
) -> None:
    netbox.faults[1] = fault
    details = refused(await admin.post("/netbox/import", json=body(netbox)), 422, "validation_error")
    assert details["field"] == field
    assert words in details["reason"]
    assert V2 not in json.dumps(details)


async def test_what_is_not_the_address_of_a_netbox(
    admin: httpx.AsyncClient, netbox: NetBox, refused: Any
) -> None:
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        closed = f"http://127.0.0.1:{probe.getsockname()[1]}"
        for url, words in (
            (closed, "cannot be reached"),
            ("http://no-such-host.invalid", "cannot be reached"),
            (f"{netbox.url}/login", "did not return JSON"),
            (netbox.url.replace("http", "https"), "write http://"),
            ("http://a b/", "cannot be reached"),
        ):
            answer = await admin.post("/netbox/import", json=body(netbox, url=url))
            details = refused(answer, 422, "validation_error")
            assert (details["field"], words in details["reason"]) == ("url", True), details
    netbox.version = "3.7.8"
    details = refused(await admin.post("/netbox/import", json=body(netbox)), 422, "validation_error")
    assert details == {"field": "url", "reason": "is NetBox 3.7.8; 4 or later is needed"}


async def test_what_refuses_otherwise_than_netbox(
    admin: httpx.AsyncClient, netbox: NetBox, refused: Any
) -> None:
    """The address is wrong then, not the token: this service itself, and a proxy that asks for a login."""
    for refusal in (Answer(401, {"error": {"code": "unauthorized"}}), Answer(403, "<html>blocked</html>")):
        netbox.route = lambda _request, refusal=refusal: refusal
        details = refused(await admin.post("/netbox/import", json=body(netbox)), 422, "validation_error")
        assert (details["field"], "which NetBox does not" in details["reason"]) == ("url", True), details


async def test_http_to_a_port_of_https(admin: httpx.AsyncClient, tmp_path: Path, refused: Any) -> None:
    context = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
    context.load_cert_chain(*write_pair(tmp_path))
    async with NetBox().serving(context) as netbox:
        url = netbox.url.replace("https", "http")
        answer = await admin.post("/netbox/import", json=body(netbox, url=url))
        details = refused(answer, 422, "validation_error")
        assert (details["field"], "write https://" in details["reason"]) == ("url", True), details


async def test_tokens_that_netbox_does_not_take(
    admin: httpx.AsyncClient, netbox: NetBox, refused: Any
) -> None:
    for token, words in ((V1[::-1], "Invalid v1 token"), ("nbt_a.b", "Invalid v2 token")):
        for way in ("import", "export"):
            answer = await admin.post(f"/netbox/{way}", json=body(netbox, token=token))
            details = refused(answer, 422, "validation_error")
            assert (details["field"], words in details["reason"]) == ("token", True)
    netbox.tokens[f"Bearer {V2}"] = set()
    details = refused(await admin.post("/netbox/import", json=body(netbox)), 422, "validation_error")
    assert "ipam.view_prefix" in details["reason"]


async def test_certificates(admin: httpx.AsyncClient, tmp_path: Path, refused: Any) -> None:
    cert, key = write_pair(tmp_path)
    other, _ = write_pair(tmp_path, "other")
    context = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
    context.load_cert_chain(cert, key)
    async with NetBox().serving(context) as netbox:
        netbox.add("10.0.0.0/16")
        for fields in ({}, {"ca_certificate": other.read_text()}):
            answer = await admin.post("/netbox/import", json=body(netbox, **fields))
            details = refused(answer, 422, "validation_error")
            assert details["field"] == "url"
            assert "ca_certificate" in details["reason"]
        assert netbox.seen == []
        for fields in ({"verify_tls": False}, {"ca_certificate": cert.read_text()}):
            answer = await admin.post("/netbox/import", json=body(netbox, dry_run=True, **fields))
            assert len(answer.json()["created"]) == 1, answer.text
        for fields in ({"ca_certificate": "x"}, {"ca_certificate": cert.read_text(), "verify_tls": False}):
            answer = await admin.post("/netbox/import", json=body(netbox, **fields))
            assert refused(answer, 422, "validation_error")["field"] == "ca_certificate"


async def test_a_silent_netbox_is_waited_for_not_long(
    admin: httpx.AsyncClient, monkeypatch: pytest.MonkeyPatch, refused: Any
) -> None:
    monkeypatch.setattr("ipam_core.netbox.client.MOST_SECONDS", 0.2)
    server = await asyncio.start_server(lambda _reader, _writer: asyncio.sleep(60), "127.0.0.1", 0)
    async with server:
        url = f"http://127.0.0.1:{server.sockets[0].getsockname()[1]}"
        answer = await admin.post("/netbox/import", json={"url": url, "token": V1})
    refused(answer, 503, "unavailable")
    assert "its answer was incomplete" in answer.json()["error"]["message"]


async def test_the_time_of_one_request_is_bounded(
    admin: httpx.AsyncClient, netbox: NetBox, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("ipam_core.netbox.importing.SECONDS", 0.0)
    monkeypatch.setattr("ipam_core.netbox.exporting.SECONDS", 0.0)
    netbox.page_size = 1
    first = (await admin.post("/netbox/import", json=body(netbox))).json()
    assert (len(first["created"]), first["errors"]) == (1, [])
    assert first["next_cursor"]
    exported = (await admin.post("/netbox/export", json=body(netbox))).json()
    assert (exported["looked_at"], exported["next_cursor"]) == (1, None)


async def test_no_answer_is_too_large(
    admin: httpx.AsyncClient, netbox: NetBox, monkeypatch: pytest.MonkeyPatch, refused: Any
) -> None:
    monkeypatch.setattr("ipam_core.netbox.client.MOST_OCTETS", 1 << 20)
    netbox.faults[1] = Answer(200, "x" * (1 << 20 | 1))
    details = refused(await admin.post("/netbox/import", json=body(netbox)), 422, "validation_error")
    assert "more than 1 MiB" in details["reason"]


def rows(count: int, **more: Any) -> Answer:
    row = {"prefix": "10.0.0.0/16", "status": {"value": "active"}}
    return Answer(
        200, {"count": count, "next": None, "results": [row | {"id": n} for n in range(count)]} | more
    )


async def test_a_page_of_more_than_was_asked_for(
    admin: httpx.AsyncClient, netbox: NetBox, refused: Any
) -> None:
    """It would keep the event loop busy: 16 MiB of rows for ten seconds."""
    netbox.faults = {1: rows(501)}
    answer = await admin.post("/netbox/import", json=body(netbox, dry_run=True))
    details = refused(answer, 422, "validation_error")
    assert "returned more objects than requested" in details["reason"]


async def test_empty_pages_without_an_end(
    admin: httpx.AsyncClient, netbox: NetBox, monkeypatch: pytest.MonkeyPatch
) -> None:
    """They are followed as long as a request may take."""
    monkeypatch.setattr("ipam_core.netbox.importing.SECONDS", 0.0)
    netbox.faults = {n: rows(0, next=f"http://other/?offset={500 * n}") for n in range(1, 100)}
    told = (await admin.post("/netbox/import", json=body(netbox, dry_run=True))).json()
    assert (told["created"], told["errors"]) == ([], [])
    assert told["next_cursor"]
    assert len(netbox.asked("GET")) < 3


async def test_a_list_without_an_end(
    admin: httpx.AsyncClient, netbox: NetBox, monkeypatch: pytest.MonkeyPatch, make: Any
) -> None:
    """Of those that export looks for, there are few; it stops where there seem to be many."""
    await make("/prefixes", cidr="10.9.0.0/16")
    monkeypatch.setattr("ipam_core.netbox.client.MOST_ROWS", 1000)
    netbox.faults = {n: rows(200, next=f"http://other/?offset={200 * n}") for n in range(1, 100)}
    told = (await admin.post("/netbox/export", json=body(netbox, dry_run=True))).json()
    assert "more than 1000 objects" in json.dumps(told)
    assert len(netbox.asked("GET")) < 10


async def test_the_token_is_kept_nowhere(
    admin: httpx.AsyncClient, netbox: NetBox, database: str, refused: Any
) -> None:
    """Neither in the database, whatever table, nor in the log, also where it is refused and under a key."""
    with structlog.testing.capture_logs() as logged:
        for fields in ({}, {"token": "nbt_wrong.secretpart"}, {"url": f"{netbox.url}/x", "mapping": {V2: 5}}):
            key = {"Idempotency-Key": "import-1"}
            await admin.post("/netbox/import", json=body(netbox, **fields), headers=key)
            await admin.post("/netbox/export", json=body(netbox, **fields), headers=key)
    assert V2 not in str(logged)
    connection = await asyncpg.connect(database)
    try:
        tables = await connection.fetch(
            "select oid::regclass::text as name from pg_class where relkind in ('r', 'p') "
            "and relnamespace = 'public'::regnamespace"
        )
        for table in tables:
            rows = await connection.fetch(f"select t::text as row from {table['name']} as t")
            assert not [row for row in rows if V2 in row["row"] or "secretpart" in row["row"]], table
        assert await connection.fetchval("select count(*) from idempotency") == 0
        assert await connection.fetchval("select count(*) from prefix") == 4
    finally:
        await connection.close()
