-- depends: 0058.zone_serials

-- What each secondary of a zone was last seen to have, and what it, or we, last refused. The DNS servers write it.
create table dns_secondary (
  zone_no integer not null references dns_zone (no) on delete cascade,
  dns_server_no integer not null references dns_server (no) on delete cascade,
  -- Its SOA's; null: it never told one.
  serial bigint check (serial between 0 and 4294967295),
  seen_at timestamptz,
  -- Since when that is not the zone's.
  differs_since timestamptz,
  refusal text,
  refused_at timestamptz,
  constraint dns_secondary_pkey primary key (zone_no, dns_server_no)
);
create index dns_secondary_by_server on dns_secondary (dns_server_no);
