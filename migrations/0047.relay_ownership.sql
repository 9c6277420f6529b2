-- depends: 0046.delegation_overlap

-- Whose packets a relay brings (decisions: Ownership of packets). `sources`: from where its packets may come, none: from
-- anywhere; `vss`, `client_vss`: whether the virtual network that the relay or the client names chooses the tenant.
alter table trusted_relay
  add column sources cidr[] not null default '{}',
  add column vss boolean not null default false,
  add column client_vss boolean not null default false;

-- From where packets of an entry's relays came, as the servers report it now and then: of each entry the latest.
create table relay_source (
  relay_no integer not null references trusted_relay on delete cascade,
  address inet not null,
  last_seen_at timestamptz not null,
  primary key (relay_no, address)
);
