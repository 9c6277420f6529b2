-- depends: 0038.webhooks

-- A template makes one class a value of what its conditions read. The values that clients brought, as the DHCP servers
-- counted them; the service keeps the latest ones.
alter table client_class add column template boolean not null default false;

create table class_value (
  class_no integer not null references client_class on delete cascade,
  value bytea not null check (octet_length(value) between 1 and 255),
  packets bigint not null,
  first_seen_at timestamptz not null,
  last_seen_at timestamptz not null,
  primary key (class_no, value)
);
