"""Leases for the console to show, written as a server writes them."""

import psycopg

GRANT = """
insert into lease (tenant_no, subnet_no, address, prefix_length, state, version, granted_at, renewed_at, expires_at,
  reuse_at, client_key, hw_type, hw_address, hostname)
select tenant_no, no, host(cidr)::inet + number, 32, 'a', nextval('lease_version'), now(), now(), now() + '1 hour',
  now() + '1 hour', '\\x0101'::bytea || hardware, 1, hardware, 'host-' || number || '.example.net'
from subnet, generate_series(%(first)s::int, %(last)s::int) as number,
  lateral (select decode('020000' || lpad(to_hex(number), 6, '0'), 'hex')) as made (hardware)
where id = %(subnet)s"""


def grant(dsn: str, subnet: str, first: int, last: int) -> None:
    """Active leases of the first to the last address of a subnet, counted from its network address; that of number
    17 has the MAC 02:00:00:00:00:11 and the name host-17.example.net."""
    with psycopg.connect(dsn, autocommit=True) as session:
        session.execute(GRANT, {"subnet": subnet, "first": first, "last": last})


EVENT = """
insert into lease_event (at, xid, version, granted_at, expires_at, reuse_at, tenant_no, subnet_no, prefix_length,
  ia_type, kind, state, address, client_key, hw_type, hw_address)
select now() - interval '1 hour', pg_current_xact_id(), nextval('lease_version'), now() - interval '1 hour',
  now() + interval '1 hour', now(), tenant_no, no, 32, 0, 'g', 'a', host(cidr)::inet + %(number)s, '\\x0101'::bytea,
  1, '\\x020000000001'
from subnet where id = %(subnet)s"""


def granted_an_hour_ago(dsn: str, subnet: str, number: int) -> None:
    """What the history says of an address that has been held for an hour."""
    with psycopg.connect(dsn, autocommit=True) as session:
        session.execute(EVENT, {"subnet": subnet, "number": number})


HAPPENED = """
insert into lease_event (at, xid, version, granted_at, expires_at, reuse_at, tenant_no, subnet_no, prefix_length,
  ia_type, kind, state, address, client_key, hw_type, hw_address, hostname)
select clock_timestamp(), pg_current_xact_id(), nextval('lease_version'), now(), now() + interval '1 hour', now(),
  tenant_no, no, 32, 0, %(kind)s, 'a', host(cidr)::inet + number, '\\x0101'::bytea || hardware, 1, hardware,
  'host-' || number || '.example.net'
from subnet, generate_series(%(first)s::int, %(last)s::int) as number,
  lateral (select decode('020000' || lpad(to_hex(number), 6, '0'), 'hex')) as made (hardware)
where id = %(subnet)s"""


def happened(dsn: str, subnet: str, first: int, last: int, kind: str = "g") -> None:
    """What servers note when leases of these addresses are granted (g), released (r), declined (d) now; no lease
    changes by it. Clients are named as those of `grant`."""
    with psycopg.connect(dsn, autocommit=True) as session:
        session.execute(HAPPENED, {"subnet": subnet, "first": first, "last": last, "kind": kind})
