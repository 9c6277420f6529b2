"""Every route as every role of every tenant: no foreign row, no foreign write, no secret.

Generated from the router (matrix/calls.py); the service's every text is marked with whose it is (matrix/world.py).
"""

from collections.abc import AsyncIterator
from http import HTTPStatus
from urllib.parse import urlencode

import asyncpg
import pytest
from litestar import Litestar
from rest.matrix.calls import Call, bulk_of, handlers, of_route, with_references
from rest.matrix.world import (
    GLOBAL,
    KEPT,
    MARKS,
    ROLES,
    ROOT_ADDRESS,
    TENANTS,
    UNKNOWN_RELAY,
    World,
    build,
    snapshot,
)

from api.app import create_app
from api.http.guards import MAY
from dhcp_fast.explain import explain
from ipam_core.secrets import Keyring
from ipam_core.settings import Settings

ACTORS = [f"{scope} {role}" for scope in (GLOBAL, *TENANTS) for role in ROLES]
STRANGERS = ["nobody", "expired", "junk"]
WRITES = ("POST", "PATCH", "DELETE")
READ_BY_POST = {"/dhcp/explain", "/dhcp6/explain", "/dns-zones/{id}/check"}


@pytest.fixture(scope="module")
async def world(
    pool_of_module: asyncpg.Pool, routes: Litestar, tmp_path_factory: pytest.TempPathFactory
) -> AsyncIterator[World]:
    keyring = Keyring(tmp_path_factory.mktemp("matrix") / "secret.key")
    settings = Settings(rate_limit=0, token_rate_limit=0, managed_address_limit=0)
    return await build(
        create_app(settings, pool_of_module, explain, sealer=keyring, routes=routes), pool_of_module
    )


async def test_the_marks_are_there(world: World, routes: Litestar) -> None:
    """Without them the tests below would find nothing."""
    missing = []
    for method, route, handler in handlers(routes):
        if (
            method != "GET"
            or "{" in route
            or "limit" not in (handler.opt.get("query") or ())
            or route == "/search"
        ):
            continue
        answer = await world.ask("none admin", method, route, query="limit=1000")
        marks = [MARKS[GLOBAL]] if route == "/nodes" else [MARKS[scope] for scope in TENANTS]
        marks = [UNKNOWN_RELAY] if route == "/trusted-relays/unknown" else marks
        missing += [(route, mark) for mark in marks if mark not in answer.content.decode()]
    assert missing == []


def kept_from(actor: str) -> list[str]:
    """Texts that no answer to this actor may hold, beside secrets."""
    scope, _, role = actor.partition(" ")
    if actor in STRANGERS:
        return [*MARKS.values(), KEPT]
    others = [] if scope == GLOBAL else [mark for name, mark in MARKS.items() if name != scope]
    others += [] if scope == GLOBAL else [ROOT_ADDRESS, UNKNOWN_RELAY]
    return others + ([] if role == "admin" else [KEPT])


async def checked(world: World, actor: str, call: Call, **headers: str) -> int:
    """The status of an answer in which nothing stands that the actor may not see."""
    answer = await world.ask(actor, call.method, call.path, call.body, urlencode(call.query), **headers)
    text = answer.content.decode("utf-8", "replace")
    assert answer.status < 500 or answer.status == 503, (actor, call.text, text)
    for secret in world.secrets:
        assert secret not in text, (actor, call.text, secret)
    for mark in kept_from(actor):
        if call.route == "/tokens/self" and mark == KEPT:
            continue  # its own
        if answer.status >= 400 and mark in call.text:
            continue  # a refusal may repeat what the request says
        assert mark not in text, (actor, call.text, mark, text)
        assert mark.encode().hex() not in text, (actor, call.text, mark)
    return answer.status


def may(actor: str, call: Call) -> bool:
    return actor.partition(" ")[2] in MAY[call.may]


def is_write(call: Call) -> bool:
    return call.method in WRITES and call.route not in READ_BY_POST


@pytest.mark.parametrize("actor", [*ACTORS, *STRANGERS])
async def test_reads_show_nothing_foreign(world: World, routes: Litestar, actor: str) -> None:
    before = await snapshot(world.pool)
    asked = 0
    for method, route, handler in handlers(routes):
        if method != "GET" and route not in READ_BY_POST:
            continue
        for scope in TENANTS:
            for call in of_route(method, route, handler, world.ids[scope], scope):
                status = await checked(world, actor, call)
                expect_read(actor, scope, call, status)
                asked += 1
        if "limit" in (handler.opt.get("query") or ()):
            call = next(of_route(method, route, handler, world.ids["b"], "b"))
            await checked(world, actor, call, accept="text/csv")
    assert asked > 300
    assert await snapshot(world.pool) == before


def expect_read(actor: str, scope: str, call: Call, status: int) -> None:
    if actor in STRANGERS:
        assert status == 401, (actor, call.text, status)
    elif not may(actor, call):
        assert status == 403, (actor, call.text, status)
    elif actor.partition(" ")[0] in (GLOBAL, scope):
        allowed = (200, 404) if call.route.startswith("/nodes") else (200, 422, 409) if call.query else (200,)
        assert status in allowed, (actor, call.text, status)
    elif "{" in call.route:
        assert status == 404, (actor, call.text, status)
    else:
        assert status in (200, 404, 422), (actor, call.text, status)


@pytest.mark.parametrize("actor", [*ACTORS[3:], "none operator", "none viewer", *STRANGERS])
async def test_nobody_writes_what_is_not_theirs(world: World, routes: Litestar, actor: str) -> None:
    """Every write of what belongs to another tenant, or with a role that does not permit it; alone, as a dry run and in
    a bulk. The database is the same afterwards."""
    own = actor.partition(" ")[0]
    before = await snapshot(world.pool)
    asked = 0
    for method, route, handler in handlers(routes):
        for scope in TENANTS:
            for call in of_route(method, route, handler, world.ids[scope], scope):
                permitted = actor not in STRANGERS and may(actor, call)
                if not is_write(call) or (permitted and own in (scope, GLOBAL)) or route in CALLS_OUT:
                    continue
                asked += 1
                for each in variants(call, handler.opt):
                    expect_refused(actor, each, await checked(world, actor, each))
    assert asked > 100
    after = await snapshot(world.pool)
    assert {table for table in after if after[table] != before[table]} == set()


CALLS_OUT = {"/netbox/import", "/netbox/export"}
"""They take the actor's own tenant, and go to a foreign server first."""


def variants(call: Call, opt: dict[str, object]) -> list[Call]:
    found = [call]
    if "dry_run" in (opt.get("query") or ()):  # type: ignore[operator]
        found.append(call._replace(query=call.query | {"dry_run": "true"}))
    operation = bulk_of(call.method, call.path, call.body, call.query)
    if operation is not None and opt["may"] == "write" and call.route != "/bulk":
        for dry_run in (True, False):
            body = {"operations": [operation], "dry_run": dry_run}
            found.append(Call("POST", "/bulk", "/bulk", {}, body, "write"))
    return found


def expect_refused(actor: str, call: Call, status: int) -> None:
    if actor in STRANGERS:
        assert status == 401, (actor, call.text, status)
    elif not may(actor, call):
        assert status == 403, (actor, call.text, status)
    else:
        assert status in (403, 404, 422), (actor, call.text, status)


@pytest.mark.parametrize("actor", ["a admin", "b admin"])
async def test_no_body_refers_to_what_is_foreign(world: World, routes: Litestar, actor: str) -> None:
    own = actor.partition(" ")[0]
    foreign = world.ids["b" if own == "a" else "a"]
    before = await snapshot(world.pool)
    asked = 0
    for method, route, handler in handlers(routes):
        takes = handler.opt.get("takes")
        if method not in WRITES or takes is None or route in READ_BY_POST | CALLS_OUT | {"/bulk"}:
            continue
        for call in of_route(method, route, handler, world.ids[own], own):
            for body in with_references(takes, call.body, foreign):
                asked += 1
                for each in variants(call._replace(body=body), handler.opt):
                    status = await checked(world, actor, each)
                    assert status in (403, 404, 422), (actor, each.text, status)
    assert asked > 20
    assert await snapshot(world.pool) == before


@pytest.mark.parametrize("actor", ["default operator", "a admin", "none admin"])
async def test_what_is_ones_own_can_be_written(world: World, routes: Litestar, actor: str) -> None:
    """So that the tests before do not pass because nothing is called well; nothing foreign changes. The admin of all
    does it in tenant b."""
    of_all = actor.startswith(GLOBAL)
    own = "b" if of_all else actor.partition(" ")[0]
    number = await world.pool.fetchval("select no from tenant where id = $1", world.ids[own]["tenants"])
    theirs = (number, None) if of_all else (number,)
    before = await snapshot(world.pool)
    calls = [
        call
        for method, route, handler in handlers(routes)
        for call in of_route(method, route, handler, world.ids[own], own)
        if is_write(call) and may(actor, call)
    ]
    failed = {
        (call.method, call.route)
        for call in sorted(calls, key=order)
        if await checked(world, actor, call) >= HTTPStatus.MULTIPLE_CHOICES
    }
    assert failed - UNREACHED == (set() if of_all else OF_ALL & {(c.method, c.route) for c in calls})
    after = await snapshot(world.pool)
    for table in before.keys() - COUNTED:
        foreign = {row for row in before[table] if row[0] not in theirs}
        kept = {row for row in after[table] if row[0] not in theirs}
        assert kept >= foreign if of_all else kept == foreign, table


def order(call: Call) -> int:
    """What ends an object comes after all else, parents after their children."""
    if call.method != "DELETE":
        return call.route.endswith("/release")
    last = (
        "webhooks",
        "dns-zones",
        "subnets",
        "client-classes",
        "prefixes",
        "dns-servers",
        "tokens",
        "tenants",
    )
    name = call.route.split("/")[1]
    return 3 + last.index(name) if name in last else 2


UNREACHED = {
    ("POST", "/netbox/import"),  # there is no NetBox
    ("POST", "/netbox/export"),
    ("POST", "/dns-zones/{id}/reconcile"),  # nor a DNS server
    ("POST", "/leases/{id}/reconfigure"),  # the lease is of IPv4
    ("DELETE", "/nodes/{id}"),  # the node is alive
    ("POST", "/nodes/{id}/drain"),  # and the last one
    ("POST", "/nodes/{id}/undrain"),  # and none of a tenant's
}
OF_ALL = {
    ("PATCH", "/server-duid"),
    ("POST", "/tenants"),
    ("DELETE", "/tenants/{id}"),
    ("POST", "/trusted-relays"),
    ("PATCH", "/trusted-relays/{id}"),
    ("DELETE", "/trusted-relays/{id}"),
}
"""For tokens of all tenants only."""
COUNTED = {
    "usage_history",
    "dns_change",
    "managed_change",
    "idempotency",
    "request_count",
    "worker_cursor",
    "usage",
    "node",
    "license_alert",
}
"""Tables whose rows are of no tenant, or of one that cannot be told once the object is gone."""
