"""One database for the tests of a file, emptied before each. Creating one takes longer, and its sessions keep their
caches and prepared statements.

Rows are deleted, sequences are set back and tables that a test created are dropped, days of the history among them.
Rows of the migrations are restored. A test that changes sessions or the schema otherwise uses a database of its own
(`own_database`). The conftest.py of a folder imports the fixtures below.
"""

from collections.abc import AsyncIterator, Iterator
from contextlib import contextmanager

import asyncpg
import psycopg
import pytest

from harness.marks import has_own_database
from ipam_core.db.connect import create_pool

# In the session's own schema, where nobody else sees them: the tables with what they held, and the function.
PREPARE = """
set session_replication_role = replica;
set lock_timeout = '30s'; -- a forgotten transaction of a session of ours is ended after ten
create temporary table emptied as
  select c.oid::regclass as name, false as is_kept,
    (select string_agg(quote_ident(attname), ', ') from pg_attribute
      where attrelid = c.oid and attnum > 0 and not attisdropped and attgenerated = '') as columns
  from pg_class c where relnamespace = 'public'::regnamespace and relkind in ('r', 'p') and not relispartition;
do $$
declare here record; found boolean;
begin
  for here in select * from emptied loop
    execute format('select exists (select from %s)', here.name) into found;
    if found then
      execute format('create temporary table %I as select %s from %s', 'kept_' || here.name, here.columns, here.name);
      update emptied set is_kept = true where name = here.name;
    end if;
  end loop;
end $$;
create temporary table stood as
  select c.oid::regclass as name from pg_class c where relnamespace = 'public'::regnamespace and relkind in ('r', 'p');
create temporary table counted as
  select format('%I.%I', schemaname, sequencename)::regclass as name, coalesce(last_value, start_value) as value,
    last_value is not null as is_called
  from pg_sequences where schemaname = 'public';
create function pg_temp.empty() returns void language plpgsql as $$
declare here record; found boolean;
begin
  for here in
    select c.oid::regclass as name from pg_class c
    where relnamespace = 'public'::regnamespace and relkind in ('r', 'p')
      and not exists (select from stood where stood.name = c.oid)
  loop
    execute format('drop table %s', here.name);
  end loop;
  if exists (select from stood where not exists (select from pg_class c where c.oid = stood.name)) then
    raise exception 'a test before this one dropped a table; it wants a database of its own (own_database)';
  end if;
  for here in select * from emptied loop
    execute format('select exists (select from %s)', here.name) into found;
    if found then
      execute format('delete from %s', here.name);
    end if;
    if here.is_kept then
      execute format('insert into %s (%s) overriding system value select * from %I',
        here.name, here.columns, 'kept_' || here.name);
    end if;
  end loop;
  perform setval(name, value, is_called) from counted;
end $$"""


class Emptied:
    """One database for the tests of a file."""

    def __init__(self, dsn: str, session: psycopg.Connection) -> None:
        self.dsn = dsn
        self.session = session

    def empty(self) -> None:
        self.session.execute("select pg_temp.empty()")


@contextmanager
def emptied(dsn: str) -> Iterator[Emptied]:
    with psycopg.connect(dsn, autocommit=True) as session:
        session.execute(PREPARE)
        yield Emptied(dsn, session)


@pytest.fixture(scope="module")
def emptied_database(module_database: str) -> Iterator[Emptied]:
    with emptied(module_database) as one:
        yield one


@pytest.fixture(scope="module")
async def pool_of_module(module_database: str) -> AsyncIterator[asyncpg.Pool]:
    async with await create_pool(module_database, max_size=8) as pool:
        yield pool


@pytest.fixture
def database(request: pytest.FixtureRequest) -> str:
    """Empty, but for what migrations put in: the file's, or one of the test's own where it bears own_database."""
    if has_own_database(request.node):
        return str(request.getfixturevalue("fresh_database"))
    one: Emptied = request.getfixturevalue("emptied_database")
    one.empty()
    return one.dsn


@pytest.fixture
async def fresh_pool(fresh_database: str) -> AsyncIterator[asyncpg.Pool]:
    async with await create_pool(fresh_database, max_size=8) as pool:
        yield pool


@pytest.fixture
def pool(request: pytest.FixtureRequest, database: str) -> asyncpg.Pool:
    """Sessions on that database."""
    name = "fresh_pool" if has_own_database(request.node) else "pool_of_module"
    found: asyncpg.Pool = request.getfixturevalue(name)
    return found
