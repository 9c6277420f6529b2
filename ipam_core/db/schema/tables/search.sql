-- What can be found by a part of it: the folded names, MAC digits and descriptions of leases and objects, and the numbers
-- of their trigrams. A follower of the logs writes it, so that no lease waits for it; it may be emptied and is filled again.
create table search_lease (
  tenant_no integer not null,
  address inet not null,
  texts text[] not null,
  grams integer[] not null,
  constraint search_lease_pkey primary key (tenant_no, address)
);
create index search_lease_by_gram on search_lease using gin (grams);

create table search_object (
  id uuid not null,
  type text not null,
  texts text[] not null,
  grams integer[] not null,
  constraint search_object_pkey primary key (id)
);
create index search_object_by_gram on search_object using gin (grams);

-- How far the follower is: transactions below `xid` of that history are in the tables; all that was committed up to `as_of`
-- is. `building`: the step of a build under way, which is at `built_to`; null: none is.
create table search_cursor (
  only_row boolean primary key default true check (only_row),
  history text not null,
  xid xid8 not null,
  as_of timestamptz,
  read_at timestamptz not null default now(),
  building text,
  built_to text not null default ''
);
