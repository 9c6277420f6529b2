-- depends: 0041.delegation_usage

-- What a plan of addresses says beside them: VLAN and site of a subnet, tags and an organisation's own fields of what it
-- plans. All have defaults, so that the version before goes on writing.
alter table subnet
  add column vlan_id integer check (vlan_id between 1 and 4094),
  add column site text not null default '',
  add column tags text[] not null default '{}',
  add column custom jsonb not null default '{}';
alter table prefix add column tags text[] not null default '{}', add column custom jsonb not null default '{}';
alter table pool add column tags text[] not null default '{}', add column custom jsonb not null default '{}';
alter table reservation add column tags text[] not null default '{}', add column custom jsonb not null default '{}';
alter table assignment add column tags text[] not null default '{}', add column custom jsonb not null default '{}';

-- Only of what has tags: a reservation without any costs its insert nothing.
create index reservation_tags on reservation using gin (tags) where cardinality(tags) > 0;
create index assignment_tags on assignment using gin (tags) where cardinality(tags) > 0;
