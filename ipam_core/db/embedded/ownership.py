"""Ownership and rights in the embedded cluster (decisions: Embedded PostgreSQL).

    postgres   the superuser; no password; over the socket for root and the account that runs the server (peer)
    ipam       our role, with a password: it owns the database and is no superuser

A cluster of an earlier release has `ipam` as its superuser. It is converted while no server runs, by PostgreSQL in
single-user mode, where the statements may be repeated after any interruption. The access file (pg_hba.conf) is written
last and shows that all is done.
"""

import os
from pathlib import Path

from ipam_core.db.embedded.programs import Account, name_of
from ipam_core.errors import PostgresStartError

SUPERUSER = "postgres"
USER = "ipam"
MAP = "operator"
MODE_J_END = ";\n\n"
"""How a statement ends in single-user mode with -j, so that it may have several lines."""

ENTRY = f"""\
# Written by ipam at its start.
local  all  {SUPERUSER}  peer  map={MAP}
local  all  {USER}  scram-sha-256
"""

# The superuser that initdb makes has the number 10 under any name, and cannot lose its rights. It cannot be renamed by
# itself either, and in single-user mode there is nobody else.
ROLES = """
do $$
begin
  update pg_authid set rolname = 'postgres' where oid = 10 and rolname <> 'postgres';
  if not exists (select from pg_roles where rolname = 'ipam') then
    create role ipam;
  end if;
end $$"""
RIGHTS = (
    f"alter role {SUPERUSER} password null",
    f"alter role {USER} login nosuperuser nocreatedb nocreaterole noreplication nobypassrls",
    # To see the locks of other sessions (docs/explanation/engine.md) and to make a checkpoint. Neither changes data.
    f"grant pg_monitor, pg_checkpoint to {USER}",
    f"alter database {USER} owner to {USER}",
)
# Numbers below 16384 are PostgreSQL's own objects; the constructors of a range type are always the superuser's.

OBJECTS = """
do $$
declare
  statement text;
begin
  for statement in
    select format('alter schema %I owner to ipam', nspname)
    from pg_namespace where nspowner = 10 and oid >= 16384 and nspname not like 'pg\\_%'
    union all
    select format('alter %s %s owner to ipam',
      case c.relkind when 'v' then 'view' when 'm' then 'materialized view' when 'S' then 'sequence' else 'table' end,
      c.oid::regclass)
    from pg_class c
    where c.relowner = 10 and c.oid >= 16384 and c.relkind in ('r', 'p', 'v', 'm', 'S', 'f')
      and c.relnamespace in (select oid from pg_namespace where nspname not like 'pg\\_%')
      and not exists (
        select from pg_depend d
        where d.classid = 'pg_class'::regclass and d.objid = c.oid and c.relkind = 'S' and d.deptype in ('a', 'i'))
    union all
    select format('alter routine %s owner to ipam', p.oid::regprocedure)
    from pg_proc p
    where p.proowner = 10 and p.oid >= 16384
      and not exists (
        select from pg_depend d where d.classid = 'pg_proc'::regclass and d.objid = p.oid and d.deptype = 'i')
    union all
    select format('alter type %s owner to ipam', t.oid::regtype)
    from pg_type t left join pg_class c on c.oid = t.typrelid
    where t.typowner = 10 and t.oid >= 16384
      and (t.typtype in ('d', 'e', 'r') or (t.typtype = 'c' and c.relkind = 'c'))
    union all
    select format('alter statistics %s.%I owner to ipam', stxnamespace::regnamespace, stxname)
    from pg_statistic_ext where stxowner = 10
  loop
    execute statement;
  end loop;
end $$"""


def statements(password: str) -> str:
    """Return the statements for the database `postgres`: roles and rights. The password is a random word of ours
    without quotes."""
    told = (ROLES, *RIGHTS, f"alter role {USER} password '{password}'")
    return "".join(each + MODE_J_END for each in told)


def objects() -> str:
    """Return the statements for our database: objects that the superuser owned belong to our role."""
    return OBJECTS + MODE_J_END


def check(output: str) -> None:
    """Raise PostgresStartError for an error in the output. In single-user mode an error ends its statement and not the
    program."""
    wrong = [line for line in output.splitlines() if "ERROR:" in line or "FATAL:" in line]
    if wrong:
        raise PostgresStartError(
            f"its roles could not be created: {wrong[0].partition('R:')[2].strip() or wrong[0]}"
        )


def is_written(cluster: Path, account: Account) -> bool:
    """Return whether the cluster is as this release makes it."""
    try:
        entry, names = (cluster / "pg_hba.conf").read_text(), (cluster / "pg_ident.conf").read_text()
    except OSError:
        return False
    return (entry, names) == (ENTRY, operators(account))


def write(cluster: Path, account: Account) -> None:
    """Write the rules of who may connect, whole or not at all."""
    for name, text in (("pg_ident.conf", operators(account)), ("pg_hba.conf", ENTRY)):
        account.write(cluster / f"{name}.new", text)
        (cluster / f"{name}.new").rename(cluster / name)


def operators(account: Account) -> str:
    """Return the names of those who are the superuser over the socket: root, this process's account, and the
    server's."""
    names = {"root", name_of(os.geteuid()), name_of(account.uid)} - {""}
    return "".join(f'{MAP}  "{name}"  {SUPERUSER}\n' for name in sorted(names))
