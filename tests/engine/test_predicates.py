"""Engine rule 7: the database arbitrates, row by row, by operation; each has a predicate of its own."""

from datetime import UTC, datetime, timedelta
from ipaddress import IPv6Address
from typing import Any

import pytest
from engine.serving import Servers, cached, mac_of, octets
from engine.site import Site, Subnet, until
from engine.statements import Operation, write
from oracle import packets as say

pytestmark = pytest.mark.shared_server

MINE, OTHER = octets(mac_of(1)), octets(mac_of(2))
FREE, RUNNING = {"expires_at": -20.0, "reuse_at": -10.0}, {"expires_at": 600.0, "reuse_at": 610.0}
MARGIN = {"expires_at": -5.0, "reuse_at": 5.0}
GONE = {"expires_at": -20.0, "reuse_at": -20.0}
QUARANTINE = {"expires_at": -20.0, "reuse_at": 600.0}


async def outcome(
    site: Site,
    subnet: Subnet,
    row: dict[str, Any] | None,
    *,
    behind: int | None = None,
    sent: datetime | None = None,
    **fields: Any,
) -> bool:
    """Whether the operation on .100 wins over the row; `behind` its version is what was seen, if any was; `sent`:
    when the statement was, if the server knows the database's clock."""
    if row is not None:
        await site.put_lease(subnet.address(100), **({"mac": MINE, "subnet_no": subnet.no} | row))
    told = {"operation": "b", "hw_address": MINE, "fence": 1, "subnet_no": subnet.no} | fields
    before = await site.lease(subnet.address(100))
    version = 0 if behind is None else before.get("version", 0) - behind
    operation = Operation(tenant_no=site.tenant_no, address=subnet.address(100), version=version, **told)
    won = await write(site.connection, [operation], sent=sent)
    after = await site.lease(subnet.address(100))
    assert won in ([], [subnet.address(100)])
    assert bool(won) == (before.get("version") != after.get("version")), "RETURNING tells what was written"
    assert bool(won) == bool(
        [e for e in await site.events(subnet.address(100)) if e["state"] == after["state"]]
    )
    return bool(won)


@pytest.mark.parametrize(
    ("row", "wins"),
    [
        pytest.param(None, True, id="no row"),
        pytest.param({"state": "a", **RUNNING}, True, id="own, active"),
        pytest.param({"state": "a", **FREE}, True, id="own, run out"),
        pytest.param({"state": "r", **GONE}, True, id="own, released"),
        pytest.param({"state": "x", **MARGIN}, True, id="own, expired"),
        pytest.param({"state": "v", **GONE}, True, id="own, revoked"),
        pytest.param({"state": "d", **QUARANTINE}, False, id="own, in quarantine"),
        pytest.param({"state": "d", **GONE}, True, id="own, after its quarantine"),
        pytest.param({"mac": OTHER, "state": "a", **RUNNING}, False, id="another's, active"),
        pytest.param({"mac": OTHER, "state": "a", **MARGIN}, False, id="another's, within the margin"),
        pytest.param(
            {"mac": OTHER, "state": "x", **MARGIN}, False, id="another's, expired, within the margin"
        ),
        pytest.param({"mac": OTHER, "state": "a", **FREE}, True, id="another's, beyond the margin"),
        pytest.param({"mac": OTHER, "state": "x", **FREE}, True, id="another's, expired beyond the margin"),
        pytest.param({"mac": OTHER, "state": "r", **GONE}, True, id="another's, released"),
        pytest.param({"mac": OTHER, "state": "v", **GONE}, True, id="another's, revoked"),
        pytest.param({"mac": OTHER, "state": "d", **QUARANTINE}, False, id="another's, in quarantine"),
        pytest.param({"mac": OTHER, "state": "d", **GONE}, True, id="another's, after the quarantine"),
    ],
)
async def test_bind(row: dict[str, Any] | None, wins: bool, site: Site, subnet: Subnet) -> None:
    """Rule 7, bind: no row, or free, or expired beyond the reuse margin, or this client's own; never in quarantine."""
    assert await outcome(site, subnet, row) == wins
    if wins:
        lease = await site.lease(subnet.address(100))
        assert (lease["state"], lease["hw_address"]) == ("a", MINE)
        assert (lease["expires_at"] - lease["renewed_at"]).total_seconds() == 600
        assert (lease["reuse_at"] - lease["expires_at"]).total_seconds() == 10


@pytest.mark.parametrize(
    ("row", "wins"),
    [
        pytest.param(None, False, id="no row: it never inserts"),
        pytest.param({"state": "a", **RUNNING}, True, id="own, active"),
        pytest.param({"state": "a", **FREE}, True, id="own, run out and nobody's yet"),
        pytest.param({"state": "x", **FREE}, True, id="own, expired"),
        pytest.param({"state": "r", **GONE}, False, id="own, released: never revived"),
        pytest.param({"state": "v", **GONE}, False, id="own, revoked: never revived"),
        pytest.param({"state": "d", **QUARANTINE}, False, id="own, declined"),
        pytest.param({"mac": OTHER, "state": "a", **RUNNING}, False, id="another's"),
        pytest.param({"mac": OTHER, "state": "x", **FREE}, False, id="another's, expired"),
    ],
)
async def test_renew(row: dict[str, Any] | None, wins: bool, site: Site, subnet: Subnet) -> None:
    """Rule 7, renew: the row exists and is this client's, active or expired."""
    assert await outcome(site, subnet, row, operation="n") == wins


@pytest.mark.parametrize("operation", ["r", "d"])
@pytest.mark.parametrize(
    ("row", "age", "wins"),
    [
        pytest.param(None, 0, False, id="no row"),
        pytest.param({"state": "a", "renewed_at": -60.0}, 1_000_000, True, id="own, active"),
        pytest.param(
            {"state": "a", "renewed_at": -0.5}, 1_000_000, False, id="written since the packet came"
        ),
        pytest.param({"state": "a", "renewed_at": -0.0005}, 1, True, id="half a millisecond after the grant"),
        pytest.param({"state": "r", **GONE}, 0, False, id="released already"),
        pytest.param({"state": "x", **GONE}, 0, False, id="expired"),
        pytest.param({"mac": OTHER, "state": "a"}, 0, False, id="another's"),
    ],
)
async def test_release_and_decline(
    operation: str, row: dict[str, Any] | None, age: int, wins: bool, site: Site, subnet: Subnet
) -> None:
    """Rule 7, release and decline: this client's, active, and not changed since the packet was received."""
    told = {"operation": operation, "age": age, "margin": 3600 if operation == "d" else 10}
    assert await outcome(site, subnet, row, **told) == wins
    if wins:
        lease = await site.lease(subnet.address(100))
        assert lease["state"] == operation
        held = (lease["reuse_at"] - lease["expires_at"]).total_seconds()
        assert held == (3600 if operation == "d" else 0)


@pytest.mark.parametrize("operation", ["r", "d", "s"])
@pytest.mark.parametrize(("ago", "wins"), [(0.4, True), (0.8, False), (-30.0, True)])
async def test_a_statement_may_be_under_way_for_long(
    operation: str, ago: float, wins: bool, site: Site, subnet: Subnet
) -> None:
    """Its packet came when it was sent. What its client was given between that and its arrival is newer, also where the
    server's notion of the database's clock is ahead of it."""
    row = {"state": "a", "renewed_at": -0.6}
    sent = datetime.now(UTC) - timedelta(seconds=ago)
    behind = 0 if operation == "s" else None
    assert await outcome(site, subnet, row, operation=operation, age=1, sent=sent, behind=behind) == wins


@pytest.mark.parametrize("operation", ["r", "d"])
@pytest.mark.parametrize(("behind", "wins"), [(0, True), (2, False)])
async def test_release_and_decline_of_a_known_version(
    operation: str, behind: int, wins: bool, site: Site, subnet: Subnet
) -> None:
    """Rule 28: the version decides, also where the time is one to come because the database's clock was put back."""
    row = {"state": "a", "renewed_at": 3600.0}
    assert await outcome(site, subnet, row, behind=behind, operation=operation, age=1_000_000) == wins


@pytest.mark.parametrize(
    ("renewed_at", "age", "behind", "wins"),
    [
        pytest.param(-60.0, 1_000_000, 0, True, id="older than the packet behind it"),
        pytest.param(-60.0, 1_000_000, 2, False, id="another version"),
        pytest.param(-0.5, 1_000_000, 0, False, id="written since that packet came"),
        pytest.param(3600.0, 0, 0, True, id="its own order is known"),
        pytest.param(-60.0, 0, 2, False, id="its own order is known, another version"),
    ],
)
async def test_release_of_the_servers_own(
    renewed_at: float, age: int, behind: int, wins: bool, site: Site, subnet: Subnet
) -> None:
    """Rule 9, of a client that has another address now: a lease that is newer than the packet that got it is kept."""
    row = {"state": "a", "renewed_at": renewed_at}
    assert await outcome(site, subnet, row, behind=behind, operation="s", age=age) == wins
    if wins:
        assert (await site.lease(subnet.address(100)))["state"] == "r"
        assert [event["kind"] for event in await site.events(subnet.address(100))] == ["r"]


@pytest.mark.parametrize(
    ("row", "wins"),
    [
        pytest.param(None, False, id="no row"),
        pytest.param({"state": "a", **RUNNING}, True, id="own, active"),
        pytest.param({"state": "r", **GONE}, False, id="own, released"),
        pytest.param({"mac": OTHER, "state": "a", **RUNNING}, False, id="another's"),
    ],
)
async def test_revoke(row: dict[str, Any] | None, wins: bool, site: Site, subnet: Subnet) -> None:
    """A lease that the configuration has taken away: the client's own and active."""
    assert await outcome(site, subnet, row, operation="v") == wins


@pytest.mark.parametrize(
    ("row", "behind", "wins"),
    [
        pytest.param({"state": "a", **MARGIN}, 0, True, id="as it was seen"),
        pytest.param({"state": "a", **MARGIN}, 2, False, id="written since"),
        pytest.param({"state": "a", **RUNNING}, 0, False, id="not run out by the database's clock"),
        pytest.param({"state": "r", **GONE}, 0, False, id="released"),
    ],
)
async def test_expire(row: dict[str, Any], behind: int, wins: bool, site: Site, subnet: Subnet) -> None:
    """Rule 7, expire: the version is the one seen. It keeps the time from which others may have the address."""
    assert await outcome(site, subnet, row | {"mac": OTHER}, behind=behind, operation="x") == wins
    if wins:
        lease = await site.lease(subnet.address(100))
        assert lease["state"] == "x"
        assert (lease["reuse_at"] - lease["expires_at"]).total_seconds() == 10


@pytest.mark.parametrize(
    ("row", "wins"),
    [
        pytest.param(None, True, id="no row"),
        pytest.param({"state": "a", **RUNNING}, False, id="active"),
        pytest.param({"state": "a", **MARGIN}, False, id="run out, within the margin"),
        pytest.param({"state": "a", **FREE}, True, id="run out, beyond the margin"),
        pytest.param({"state": "x", **MARGIN}, False, id="expired, within the margin"),
        pytest.param({"state": "x", **FREE}, True, id="expired"),
        pytest.param({"state": "r", **GONE}, True, id="released"),
        pytest.param({"state": "v", **GONE}, True, id="revoked"),
        pytest.param({"state": "d", **QUARANTINE}, False, id="in quarantine already"),
        pytest.param({"state": "d", **GONE}, True, id="after a quarantine"),
    ],
)
@pytest.mark.parametrize("mac", [MINE, OTHER], ids=["own", "another's"])
async def test_quarantine(
    row: dict[str, Any] | None, wins: bool, mac: bytes, site: Site, subnet: Subnet
) -> None:
    """An address that answered a ping: no row, or one that is free to others by now; it becomes nobody's."""
    before = row and {"mac": mac, "client_id": b"\x01a", "hostname": "h", **row}
    assert await outcome(site, subnet, before, operation="q", margin=3600) == wins
    if wins:
        lease = await site.lease(subnet.address(100))
        owner = ("hw_type", "hw_address", "client_id", "duid", "hostname", "relay", "circuit_id", "remote_id")
        assert (lease["state"], {lease[column] for column in owner}) == ("d", {None})
        assert (lease["reuse_at"] - lease["expires_at"]).total_seconds() == 3600
        *_, event = await site.events(subnet.address(100))
        assert (event["kind"], event["state"], event["hw_address"]) == ("d", "d", None)


async def test_quarantine_of_a_lease_that_ran_out_unwritten_leaves_its_event(
    site: Site, subnet: Subnet
) -> None:
    assert await outcome(site, subnet, {"mac": OTHER, "state": "a", **FREE}, operation="q")
    expired, declined = await site.events(subnet.address(100))
    assert (expired["kind"], expired["hw_address"]) == ("x", OTHER)
    assert declined["kind"] == "d"


@pytest.mark.parametrize(("operation", "row"), [("b", None), ("n", {"state": "a"})])
@pytest.mark.parametrize(("fence", "wins"), [(1, False), (2, True), (3, True)])
async def test_the_fence(
    operation: str, row: dict[str, Any] | None, fence: int, wins: bool, site: Site, subnet: Subnet
) -> None:
    """Rule 7 under rule 12: what grants or prolongs is refused when it was decided under an older configuration."""
    await subnet.set(fence=2)
    assert await outcome(site, subnet, row, operation=operation, fence=fence) == wins


@pytest.mark.parametrize(("operation", "row"), [("b", None), ("n", {"state": "a"})])
async def test_a_subnet_that_is_gone(
    operation: str, row: dict[str, Any] | None, site: Site, subnet: Subnet
) -> None:
    assert not await outcome(site, subnet, row, operation=operation, subnet_no=subnet.no + 1)


@pytest.mark.parametrize(("client_id", "wins"), [(b"\x00a", True), (b"\x00b", False), (None, False)])
@pytest.mark.parametrize("operation", ["b", "n", "r"])
async def test_the_other_key_of_the_same_client(
    operation: str, client_id: bytes | None, wins: bool, site: Site, subnet: Subnet
) -> None:
    """A row is also the client's own when MAC and client id are both equal, whatever key it was granted under."""
    row = {"state": "a", "client_id": client_id, "client_key": b"\x02\x00a"}
    assert await outcome(site, subnet, row, operation=operation, client_id=b"\x00a") == wins


async def test_tenants_do_not_meet(site: Site, subnet: Subnet) -> None:
    """The key is tenant and address."""
    row = {"mac": OTHER, "state": "a", "tenant_no": site.tenant_no + 1}
    await site.put_lease(subnet.address(100), **({"subnet_no": subnet.no} | row))
    assert await outcome(site, subnet, None)


async def test_what_comes_back_won(site: Site, subnet: Subnet) -> None:
    """Rule 7: one statement, each row by its own predicate."""
    await site.put_lease(subnet.address(102), OTHER, subnet.no)
    operations = [
        Operation(site.tenant_no, subnet.address(last), subnet.no, 1, "b", octets(mac_of(last)))
        for last in (104, 102, 103, 101)
    ]
    assert sorted(await write(site.connection, operations)) == [subnet.address(n) for n in (101, 103, 104)]


async def test_two_servers_give_an_address_once(servers: Servers, site: Site, subnet: Subnet) -> None:
    """Rule 7 by two servers on one database: both offer the one address, one of them grants it."""
    await site.connection.execute("update pool set end_ip = start_ip")
    first, second = await servers.start(), await servers.start()
    relays = [servers.relay(server, subnet.relay) for server in (first, second)]
    offers = [await r.offer(say.discover(mac_of(n))) for n, r in enumerate(relays)]
    assert offers[0].yiaddr == offers[1].yiaddr == subnet.address(100)
    kinds = []
    for number, relay in enumerate(relays):
        request = say.request_selecting(mac_of(number), offers[number].yiaddr, "127.0.0.1")
        kinds.append((await relay.ask(request)).message_type)
    assert kinds == [5, 6]
    assert (await site.lease(subnet.address(100)))["hw_address"] == octets(mac_of(0))
    assert (cached(second, site.tenant_no, subnet.address(100)) or {})["state"] == "a"


async def test_a_lease_is_renewed_and_released_at_any_server(
    servers: Servers, site: Site, subnet: Subnet
) -> None:
    first, second = await servers.start(), await servers.start()
    ack = await servers.relay(first, subnet.relay).lease(mac_of(1))
    elsewhere = servers.relay(second, subnet.relay)
    renewed = await elsewhere.ack(say.request_renewing(mac_of(1), ack.yiaddr))
    assert renewed.yiaddr == ack.yiaddr
    await elsewhere.unanswered(say.release(mac_of(1), ack.yiaddr, "127.0.0.1"))
    await until("released", lambda: is_released(site, ack.yiaddr))
    assert [event["kind"] for event in await site.events(ack.yiaddr)] == ["g", "n", "r"]


async def is_released(site: Site, address: Any) -> bool:
    return (await site.lease(address))["state"] == "r"


# --- IPv6: a client is an identity association, and nothing but its key says whose a row is (rule 32)

NA, PD = 3, 25
ADDRESS6 = IPv6Address("::1")  # no value tells the family


def association(duid: bytes, iaid: int = 1, kind: int = NA) -> dict[str, Any]:
    """What an operation says of the client; the hardware address is the same for all."""
    key = b"\x06" + kind.to_bytes(2, "big") + iaid.to_bytes(4, "big") + duid
    length = 56 if kind == PD else 128
    told = (kind, length, iaid, 300, duid, IPv6Address("2001:db8::1"), None, None)
    return {"client_key": key, "association": told}


@pytest.mark.parametrize(
    ("other", "wins"),
    [
        (association(b"\0\1a"), True),
        (association(b"\0\1b"), False),
        (association(b"\0\1a", iaid=2), False),
        (association(b"\0\1a", kind=PD), False),
    ],
    ids=["the same", "another DUID of the same card", "another IAID", "of another type"],
)
@pytest.mark.parametrize("operation", ["b", "n", "r", "d", "v"])
async def test_an_ipv6_row_is_its_associations_alone(
    site: Site, subnet: Subnet, operation: str, other: dict[str, Any], wins: bool
) -> None:
    mine = Operation(site.tenant_no, ADDRESS6, subnet.no, 1, "b", MINE, **association(b"\0\1a"))
    assert await write(site.connection, [mine]) == [ADDRESS6]
    assert await write(site.connection, [mine.but(operation=operation, **other)]) == [ADDRESS6] * wins
    told = "select *, family(address) from lease where tenant_no = $1"
    row = await site.connection.fetchrow(told, site.tenant_no)
    assert (row["family"], row["duid"], row["iaid"], row["ia_type"]) == (6, b"\0\1a", 1, NA)
    assert (row["prefix_length"], row["preferred_lifetime"]) == (128, 300)
    assert row["link_address"] == IPv6Address("2001:db8::1")


async def test_the_history_says_where_a_delegated_prefix_is_routed_to(site: Site, subnet: Subnet) -> None:
    prefix, relay = IPv6Address("2001:db8:100::"), IPv6Address("fe80::1")
    told = association(b"\0\1a", kind=PD) | {"relay": relay, "circuit_id": b"eth7"}
    granted = Operation(site.tenant_no, prefix, subnet.no, 1, "b", MINE, **told)
    await write(site.connection, [granted])
    await write(site.connection, [granted.but(operation="r")])
    rows = await site.events(prefix)
    assert [(row["kind"], row["state"]) for row in rows] == [("g", "a"), ("r", "r")]
    for row in rows:
        assert (row["ia_type"], row["prefix_length"], row["iaid"], row["duid"]) == (PD, 56, 1, b"\0\1a")
        assert (row["relay"], row["circuit_id"]) == (relay, b"eth7")
        assert row["link_address"] == IPv6Address("2001:db8::1")


@pytest.mark.own_server
async def test_what_a_grant_tells_of_the_device_stays(site: Site, subnet: Subnet) -> None:
    device = (b"\0\3relay", b"\1\4eth1", b"MSFT 5.0", bytes((1, 3, 6)), True, b"\0\x4d\0\4\3lab")
    mine = Operation(site.tenant_no, subnet.address(100), subnet.no, 1, "b", MINE, device=device)
    await write(site.connection, [mine])
    await write(site.connection, [mine.but(operation="n", device=None)])
    row = await site.connection.fetchrow(
        "select relay_id, relay_info, vendor_class, parameter_list, accepts_reconfigure, client_options from lease"
    )
    assert tuple(row) == device
