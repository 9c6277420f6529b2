"""The audit finds each kind of fault in a real database, and finds nothing where there is none."""

from ipaddress import IPv4Address

import asyncpg
import pytest

from dhcp_fast.bench.generator.result import RECORD, mac_of
from dhcp_fast.bench.servers import bench_plan
from dhcp_fast.bench.servers.audit import audit

SEED = 5
CLIENTS = 20

GRANT = """
with written as (
  insert into lease (granted_at, renewed_at, expires_at, reuse_at, version, tenant_no, subnet_no,
    prefix_length, hw_type, state, address, client_key, hw_address)
  select now(), now(), now() + '1 hour', now() + '1 hour', nextval('lease_version'), tenant.no, subnet.no,
    32, 1, 'a', $1, $2, $3
  from tenant, subnet where is_default returning *)
insert into lease_event (at, xid, version, granted_at, expires_at, reuse_at, tenant_no, subnet_no,
  prefix_length, ia_type, hw_type, kind, state, address, client_key, hw_address)
select now(), pg_current_xact_id(), version, granted_at, expires_at, reuse_at, tenant_no, subnet_no,
  prefix_length, ia_type, hw_type, 'g', state, address, client_key, hw_address from written"""


def address_of(client: int) -> IPv4Address:
    return IPv4Address("10.64.1.0") + client


def log_of(*pairs: tuple[int, IPv4Address], seconds: int = 600) -> bytes:
    server = bytes((127, 0, 0, 1))
    return b"".join(RECORD.pack(client, address.packed, server, seconds) for client, address in pairs)


def release_of(*pairs: tuple[int, IPv4Address]) -> bytes:
    return log_of(*pairs, seconds=0)


LOG = log_of(*((client, address_of(client)) for client in range(CLIENTS)))


@pytest.fixture
async def leases(database: str) -> str:
    """A database in which every client of LOG holds its address."""
    await bench_plan.insert(database)
    connection = await asyncpg.connect(database)
    for client in range(CLIENTS):
        mac = mac_of(SEED, client)
        await connection.execute(GRANT, address_of(client), b"\x01\x01" + mac, mac)
    await connection.close()
    return database


async def after(database: str, statement: str, log: bytes = LOG) -> dict[str, int]:
    """The faults once `statement` has been run."""
    connection = await asyncpg.connect(database)
    await connection.execute(statement)
    await connection.close()
    found = await audit(database, log, seed=SEED)
    assert found.clean is not any(found.faults.values())
    assert bool(found.samples) is not found.clean
    return {name: count for name, count in found.faults.items() if count}


async def test_clean(leases: str) -> None:
    found = await audit(leases, LOG, seed=SEED)
    assert (found.acknowledged, found.clients, found.clean) == (CLIENTS, CLIENTS, True)
    assert "clean" in str(found)


async def test_the_last_ack_of_a_client_counts(leases: str) -> None:
    moved = log_of((0, address_of(500))) + LOG
    assert await after(leases, "select 1", moved) == {}
    assert await after(leases, "select 1", LOG + log_of((0, address_of(500)))) == {"missing": 1}


@pytest.mark.parametrize(
    "statement",
    [
        "delete from lease where address = '10.64.1.3'",
        "update lease set state = 'r' where address = '10.64.1.3'",
        "update lease set hw_address = '\\x020500000063' where address = '10.64.1.3'",
    ],
)
async def test_a_lease_that_is_not_there(leases: str, statement: str) -> None:
    assert await after(leases, statement) == {"missing": 1}


async def test_an_address_given_twice(leases: str) -> None:
    twice = LOG + log_of((77, address_of(3)))
    assert await after(leases, "select 1", twice) == {"given_twice": 1, "missing": 1}


async def test_what_was_given_back_may_be_gone_and_be_given_to_another(leases: str) -> None:
    other = 77, address_of(3)
    given_back = release_of((3, address_of(3)))
    takes_over = "update lease set hw_address = '\\x02050000004d' where address = '10.64.1.3'"
    assert await after(leases, "select 1", log_of(other) + release_of(other) + LOG) == {}
    assert await after(leases, takes_over, LOG + given_back + log_of(other)) == {}
    assert await after(leases, "select 1", LOG + log_of(other) + given_back) == {"given_twice": 1}


async def test_what_was_given_back_by_another_is_still_held(leases: str) -> None:
    faults = await after(
        leases, "delete from lease where address = '10.64.1.3'", LOG + release_of((4, address_of(4)))
    )
    assert faults == {"missing": 1}


async def test_a_lease_without_history(leases: str) -> None:
    # History is append-only; a damaged one has to be made against the triggers.
    forgotten = "set session_replication_role = replica; delete from lease_event where address = '10.64.1.3'"
    assert await after(leases, forgotten) == {"ungranted": 1, "unlogged": 1}


async def test_a_renewal_that_history_missed(leases: str) -> None:
    unlogged = "update lease set version = nextval('lease_version') where address = '10.64.1.3'"
    assert await after(leases, unlogged) == {"unlogged": 1}


async def test_counts_all_and_shows_a_few(leases: str) -> None:
    assert await after(leases, "delete from lease") == {"missing": CLIENTS}
    found = await audit(leases, LOG, seed=SEED)
    assert len(found.samples) == 5
    assert "NOT CLEAN" in str(found)
