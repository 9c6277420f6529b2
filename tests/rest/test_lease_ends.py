"""Lease events show what became of their leases: when each actually ended, and how."""

from datetime import UTC, datetime, timedelta
from ipaddress import ip_address
from typing import Any

import asyncpg
import httpx
import pytest

from ipam_core.services import lease_ends
from ipam_core.services.lease_ends import LOOKS

NOW = datetime.now(UTC).replace(microsecond=0)
NOON = NOW.replace(hour=12, minute=0, second=0) - timedelta(days=3)
EVENT = """
insert into lease_event (at, xid, version, granted_at, expires_at, reuse_at, tenant_no, subnet_no, prefix_length,
                         ia_type, kind, state, address, client_key, hw_type, hw_address)
select $1, pg_current_xact_id(), nextval('lease_version'), $2, $3::timestamptz, $1, tenant_no, no, 32, 0, $4::"char",
       'a', $5, '\\x0101' || $6::bytea, 1, $6
from subnet
"""
LEASE = """
insert into lease (granted_at, renewed_at, expires_at, reuse_at, version, tenant_no, subnet_no, prefix_length, state,
                   address, client_key, hw_type, hw_address)
select $1, $1, $2::timestamptz, $2::timestamptz, nextval('lease_version'), tenant_no, no, 32, $3::"char", $4,
       '\\x0101' || $5::bytea, 1, $5
from subnet
"""
ANN, BOB = bytes.fromhex("020000000001"), bytes.fromhex("020000000002")
IP = ip_address("10.0.0.10")
HOUR = timedelta(hours=1)


class Story:
    """What servers write of one address; a promise is of an hour unless told otherwise."""

    def __init__(self, pool: asyncpg.Pool) -> None:
        self.pool = pool

    async def event(
        self,
        at: datetime,
        kind: str,
        who: bytes,
        granted: datetime | None = None,
        lasts: timedelta = HOUR,
    ) -> None:
        await self.pool.execute("select make_lease_event_partition($1)", at.date())
        end = at if kind in "rdv" else at + lasts
        await self.pool.execute(EVENT, at, granted or at, end, kind, IP, who)

    async def lease(self, granted: datetime, end: datetime, state: str, who: bytes) -> None:
        await self.pool.execute(LEASE, granted, end, state, IP, who)


@pytest.fixture
def story(subnet: dict[str, Any], pool: asyncpg.Pool) -> Story:
    return Story(pool)


async def ends(client: httpx.AsyncClient, **params: Any) -> list[tuple[str, str | None, str | None]]:
    """Of each event, the oldest first: what it was, and when and how its lease ended."""
    answer = await client.get("/lease-events", params=params)
    assert answer.status_code == 200, answer.text
    found = [(item["event"], item["ended_at"], item["end"]) for item in answer.json()["items"]]
    return found[::-1]


def shown(at: datetime) -> str:
    return at.isoformat(timespec="milliseconds").replace("+00:00", "Z")


async def test_every_event_of_a_lease_shows_the_end_that_came(admin: httpx.AsyncClient, story: Story) -> None:
    """Days later too, renewals on the way, whichever events a page holds, and although the address has gone on to
    others."""
    renewed, released = NOON + HOUR / 2, NOON + timedelta(days=1)
    await story.event(NOON, "g", ANN)
    await story.event(renewed, "n", ANN, granted=NOON)
    await story.event(released - HOUR / 2, "n", ANN, granted=NOON)
    await story.event(released, "r", ANN, granted=NOON)
    await story.event(released + HOUR, "g", BOB)
    await story.lease(released + HOUR, NOW + HOUR, "a", BOB)
    end = (shown(released), "released")
    assert await ends(admin) == [
        ("granted", *end),
        ("renewed", *end),
        ("renewed", *end),
        ("released", *end),
        ("granted", None, None),
    ]
    assert await ends(admin, until=shown(renewed)) == [("granted", *end)]
    assert await ends(admin, ip=str(IP), at=shown(renewed + HOUR / 4)) == [("renewed", *end)]
    answer = await admin.get("/lease-events", headers={"accept": "text/csv"})
    head, *lines = answer.text.splitlines()
    assert head.endswith("expires_at,ended_at,end")
    assert lines[-1].endswith(",".join(end))


@pytest.mark.parametrize(
    ("state", "end"),
    [("a", "expired"), ("x", "expired"), ("r", "released"), ("v", "revoked"), ("d", "declined")],
)
async def test_the_row_of_the_address_says_it_while_it_is_that_leases(
    admin: httpx.AsyncClient, story: Story, state: str, end: str
) -> None:
    await story.event(NOON, "g", ANN)
    await story.lease(NOON, NOON + HOUR / 3, state, ANN)
    assert await ends(admin) == [("granted", shown(NOON + HOUR / 3), end)]


async def test_a_lease_without_an_end_has_none(
    admin: httpx.AsyncClient, story: Story, pool: asyncpg.Pool
) -> None:
    """A renewal has moved the end that was promised with the grant, or there is none."""
    await story.event(NOON, "g", ANN)
    await story.lease(NOON, NOW + HOUR, "a", ANN)
    assert await ends(admin) == [("granted", None, None)]
    await pool.execute("update lease set expires_at = 'infinity'")
    assert await ends(admin) == [("granted", None, None)]


async def test_a_lease_whose_end_nobody_wrote(admin: httpx.AsyncClient, story: Story) -> None:
    """It ended with the next one, at the latest when it had been promised; without any by the clock."""
    await story.event(NOON, "g", ANN)
    assert await ends(admin) == [("granted", shown(NOON + HOUR), "expired")]
    await story.event(NOON + HOUR / 2, "n", ANN, granted=NOON)
    replaced = NOON + HOUR
    await story.event(replaced, "g", BOB)
    assert (await ends(admin, until=shown(replaced)))[0] == ("granted", shown(replaced), "replaced")
    late = replaced + 5 * HOUR
    await story.event(late, "g", ANN)
    assert (await ends(admin))[2] == ("granted", shown(replaced + HOUR), "expired")


@pytest.mark.parametrize("days", [0, 5, 40, 80])
async def test_an_end_long_after_an_event_is_found(
    admin: httpx.AsyncClient, story: Story, monkeypatch: pytest.MonkeyPatch, days: int
) -> None:
    """Few days are read for most leases: no look goes further than it must."""
    looks: list[timedelta] = []
    look = lease_ends.look

    def counted(connection: Any, rows: list[Any], within: timedelta) -> Any:
        looks.append(within)
        return look(connection, rows, within)

    monkeypatch.setattr(lease_ends, "look", counted)
    granted = NOON - timedelta(days=90)
    released = granted + timedelta(days=days, hours=1)
    await story.event(granted, "g", ANN, lasts=released - granted)
    await story.event(released, "r", ANN, granted=granted)
    await story.event(NOON, "g", BOB)
    until = shown(granted + HOUR / 2)
    assert await ends(admin, until=until) == [("granted", shown(released), "released")]
    assert looks == list(LOOKS[: {0: 1, 5: 2, 40: 3, 80: 4}[days]])


async def test_an_address_quarantined_without_a_lease_ended_none(
    admin: httpx.AsyncClient, story: Story
) -> None:
    await story.event(NOON, "d", bytes(6))
    assert await ends(admin) == [("declined", None, None)]


async def test_events_of_a_stream_do_not_know_the_end_yet(admin: httpx.AsyncClient, story: Story) -> None:
    await story.event(NOW, "g", ANN)
    (event,) = (await admin.get("/events", params={"type": "lease.granted"})).json()["items"]
    assert not {"ended_at", "end"} & set(event["data"])
