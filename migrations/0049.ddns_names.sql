-- depends: 0048.dns_suffixes

-- Domains besides ddns_domain in which a client may choose its name; the first label is the client's, the rest must be one
-- of these.
alter table subnet add column ddns_client_domains text[] not null default '{}';

-- Subnets whose clients have names and no domain to put them in: ddns.failed was raised for them.
create table ddns_without_domain (
  subnet_no integer primary key,
  noted_at timestamptz not null default now()
);

-- The update gives a client back a name that an operator had taken over: records of other types are no hindrance.
alter table ddns_update add column regains boolean not null default false;

-- Owner of a name in one zone of one tenant at one server (the embedded one: 0). It replaces ddns_name, which knew neither
-- zone nor tenant; workers of the version before still write that table.
create table ddns_owner (
  tenant_no integer not null,
  dns_server_no integer not null,
  zone text not null,
  fqdn text not null,
  -- An assignment or reservation has the name: every further one shares it, and leases give way.
  by_operator boolean not null,
  -- Ways by which the owners are known (RFC 4703): a lease that has one of them is the owner's too.
  owners bytea[] not null,
  -- DHCID that marks the name at the server.
  dhcid bytea,
  -- Mark of the owner whose name was taken over, until the update that replaces it is applied; empty: records of ours that
  -- have no mark.
  before bytea,
  constraint ddns_owner_pkey primary key (tenant_no, dns_server_no, zone, fqdn)
);

insert into ddns_owner (tenant_no, dns_server_no, zone, fqdn, by_operator, owners, dhcid, before)
select distinct on (b.tenant_no, server.no, b.forward_zone, n.fqdn) b.tenant_no, server.no, b.forward_zone, n.fqdn,
  b.source <> 'lease', n.owners, n.dhcid, case when n.dhcid is null then ''::bytea end
from ddns_binding b
cross join lateral (select case b.adapter when 'embedded' then 0 else coalesce(b.dns_server_no, 0) end as no) server
join ddns_name n on n.fqdn = b.fqdn and n.dns_server_no in (server.no, case server.no when 0 then 1 - b.tenant_no end)
where b.forward_zone is not null and (b.identities && n.owners or b.identities = n.owners)
order by b.tenant_no, server.no, b.forward_zone, n.fqdn, b.source = 'lease', n.dns_server_no;
