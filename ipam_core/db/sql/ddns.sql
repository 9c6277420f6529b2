-- name: lock_cursor^
-- One worker reads at a time; another one leaves it to that and comes back. The history tells a database that was promoted
-- or restored, in which transaction numbers mean something else.
select history, xid::text as xid, updated_at < now() - interval '1 minute' as is_behind,
  updated_at - interval '1 day' as began
from worker_cursor where name = 'ddns' for update skip locked;

-- name: take_time!
-- For the rest of the transaction. What happened while no worker ran, or all addresses of a large site, is read by no
-- short statement.
set local statement_timeout = '15min';

-- name: begin_cursor$
-- Once in the life of a database; true: it was made now.
insert into worker_cursor (name, history, xid) values ('ddns', '', '0') on conflict do nothing returning true;

-- name: news^
-- What a worker asks every quarter of a second: whether a log says anything of transactions from `since` on that are done,
-- up to where they are, and in which history of the database.
select oldest::text as xmin,
  (select system_identifier from pg_control_system())::text || '/'
    || left(pg_walfile_name(pg_current_wal_lsn()), 8) || '/' || 'lease'::regclass::oid as history,
  exists (select from lease_event where xid >= :since::text::xid8 and xid < oldest
    and at > (select updated_at from worker_cursor where name = 'ddns') - interval '1 day')
  or exists (select from change where xid >= :since::text::xid8 and xid < oldest) as logged
from {oldest running} as oldest;

-- name: position^
-- Up to where all that this database wrote is visible in this snapshot, in which history of the database.
select {oldest running}::text as xmin,
  (select system_identifier from pg_control_system())::text || '/'
    || left(pg_walfile_name(pg_current_wal_lsn()), 8) || '/' || 'lease'::regclass::oid as history;

-- name: set_cursor!
-- In the transaction that writes what was found, so that nothing is told twice or never.
update worker_cursor set history = :history::text, xid = :xid::text::xid8, updated_at = now() where name = 'ddns';

-- name: touched_by_leases
-- Addresses of subnets that update DNS whose leases were written, and those of which DNS says something. A transaction
-- lasts for seconds, so none of the window bears a time from before `began`, a day before the last reading.
select distinct e.tenant_no, e.address as ip
from lease_event e left join subnet on subnet.no = e.subnet_no
where e.xid >= :since::text::xid8 and e.xid < :until::text::xid8 and e.at > :began::timestamptz
  and e.prefix_length in (32, 128)
  and (subnet.ddns_enabled or exists (
    select from ddns_published b where b.tenant_no = e.tenant_no and b.ip = e.address));

-- name: touched_by_changes
-- Addresses of reservations and assignments that were written, as they were and as they are.
select distinct tenant_no, host(ip)::inet as ip
from change, lateral (values ((change.before ->> 'ip')::inet), ((change.after ->> 'ip')::inet)) as side (ip)
where xid >= :since::text::xid8 and xid < :until::text::xid8 and object_type in ('reservation', 'assignment')
  and ip is not null;

-- name: changed_subnets
-- Subnets whose settings changed, so that all their addresses are looked at.
select distinct subnet_no as no from change
where xid >= :since::text::xid8 and xid < :until::text::xid8 and object_type = 'subnet' and subnet_no is not null;

-- name: zones_changed$
-- Whether zones were made, renamed to another server or deleted: which zone holds a name may differ everywhere.
select exists (select from change
  where xid >= :since::text::xid8 and xid < :until::text::xid8 and object_type = 'dns_zone');

-- name: all_subnets
-- Those that update DNS.
select no from subnet where ddns_enabled;

-- name: addresses_of_subnets
-- Whatever may have a name there, and whatever DNS says of it.
select tenant_no, ip from ddns_published where subnet_no = any(:numbers::integer[])
union select subnet.tenant_no, lease.address from subnet join lease
  on lease.tenant_no = subnet.tenant_no and lease.address >= host(network(subnet.cidr))::inet
  and lease.address <= host(broadcast(subnet.cidr))::inet
  where subnet.no = any(:numbers::integer[]) and subnet.ddns_enabled and lease.state = 'a'
    and lease.prefix_length in (32, 128)
union select subnet.tenant_no, reservation.ip from subnet join reservation on reservation.subnet_no = subnet.no
  where subnet.no = any(:numbers::integer[]) and subnet.ddns_enabled and reservation.ip is not null
union select subnet.tenant_no, assignment.ip from subnet join assignment on assignment.subnet_no = subnet.no
  where subnet.no = any(:numbers::integer[]) and subnet.ddns_enabled;

-- name: lost_bindings
-- Of subnets that are gone.
select tenant_no, ip from ddns_published b where not exists (select from subnet where subnet.no = b.subnet_no);

-- name: addresses
-- What the plan and the leases contain of addresses now: an assignment before a reservation before a lease. Names of
-- reservations hold whether their client is there or not; another client that still has the address lends them nothing of
-- itself. A name that a profile gave (8 in fqdn_flags) is the operator's as well. `since`: when the lease began.
select a.tenant_no, a.ip, subnet.no as subnet_no, subnet.ddns_enabled, subnet.ddns_adapter, subnet.ddns_forward_zone,
  subnet.ddns_reverse_zone, subnet.ddns_domain, subnet.ddns_client_domains, subnet.ddns_ttl,
  subnet.ddns_replace_client_name, subnet.ddns_generated_prefix, subnet.ddns_conflict_mode, subnet.lease_time_seconds,
  subnet.ddns_override_no_update, subnet.ddns_override_client_update, coalesce(lease.fqdn_flags, 0) as fqdn_flags,
  dns_server.no as dns_server_no, dns_server.adapter as server_adapter, lease.granted_at as since, lease.version,
  case when assignment.no is not null then 'assignment'
       when reservation.hostname is not null or lease.fqdn_flags & 8 <> 0 then 'reservation'
       when lease.address is not null then 'lease' end as source,
  coalesce(assignment.hostname, reservation.hostname, lease.hostname) as hostname,
  case when assignment.no is not null then assignment.aliases
       when reservation.hostname is not null then reservation.aliases else '{}' end as aliases,
  coalesce(assignment.alias_records, reservation.alias_records) as alias_records,
  case when assignment.no is null then coalesce(lease.hw_type, case when reservation.mac is not null then 1 end)
    end as hw_type,
  case when assignment.no is null then
    coalesce(lease.hw_address, decode(replace(reservation.mac::text, ':', ''), 'hex')) end as hw_address,
  case when assignment.no is null then coalesce(lease.client_id, reservation.client_id) end as client_id,
  case when assignment.no is null then coalesce(lease.duid, reservation.duid) end as duid
from unnest(:tenants::integer[], :ips::inet[]) as a (tenant_no, ip)
left join subnet on subnet.tenant_no = a.tenant_no and subnet.cidr >>= a.ip
left join dns_server on dns_server.id = subnet.ddns_dns_server_id
left join assignment on assignment.subnet_no = subnet.no and assignment.ip = a.ip
left join reservation on reservation.subnet_no = subnet.no and reservation.ip = a.ip
left join lease on lease.tenant_no = a.tenant_no and lease.address = a.ip and lease.state = 'a'
  and (reservation.hostname is null
    or lease.hw_address = decode(replace(reservation.mac::text, ':', ''), 'hex')
    or reservation.client_id = lease.client_id
    or reservation.duid in (lease.duid, substr(lease.client_id, 6))
    or reservation.mac is null and reservation.client_id is null and reservation.duid is null);

-- name: note_without_domain
-- Subnets of which it was not said yet that their clients have names and no domain to put them in.
with noted as (
  insert into ddns_without_domain (subnet_no) select unnest(:numbers::integer[]) on conflict do nothing returning subnet_no
)
select subnet.no, subnet.id, subnet.cidr, subnet.tenant_no from noted join subnet on subnet.no = noted.subnet_no;

-- name: forget_without_domain!
-- Once its settings change, an operator is told again if that is still so.
delete from ddns_without_domain where subnet_no = any(:numbers::integer[]);

-- name: zones
-- In which zone of its tenant a name lies, which server answers for it, and how that is spoken to.
select z.tenant_no, z.name, z.dns_server_no, z.dns_enabled, s.adapter from dns_zone z left join dns_server s on s.no = z.dns_server_no;

-- name: bindings
-- What DNS was last asked to say of these addresses, their host names and aliases.
select b.* from ddns_published b
join unnest(:tenants::integer[], :ips::inet[]) as a (tenant_no, ip) on b.tenant_no = a.tenant_no and b.ip = a.ip;

-- name: drop_bindings!
-- Of addresses of which DNS shall say nothing more; an alias is null where the host name is meant.
with named as materialized (
  select * from unnest(:tenants::integer[], :ips::inet[], :aliases::text[]) as a (tenant_no, ip, alias)
), aliases as (
  delete from ddns_alias b using named a where b.tenant_no = a.tenant_no and b.ip = a.ip and b.fqdn = a.alias
)
delete from ddns_binding b using named a where b.tenant_no = a.tenant_no and b.ip = a.ip and a.alias is null;

-- name: put_bindings!
-- What it shall say from now on.
insert into ddns_binding (tenant_no, ip, source, subnet_no, fqdn, identities, dhcid, conflict_mode, dns_server_no, adapter,
  forward_zone, reverse_zone, ttl)
select tenant_no, ip, source, subnet_no, fqdn,
  array(select decode(each, 'hex') from jsonb_array_elements_text(identities) as each), decode(dhcid, 'hex'),
  conflict_mode, dns_server_no, adapter, forward_zone, reverse_zone, ttl
from jsonb_to_recordset(:rows::jsonb) as b (tenant_no integer, ip inet, source text, subnet_no integer, fqdn text,
  identities jsonb, dhcid text, conflict_mode text, dns_server_no integer, adapter text, forward_zone text,
  reverse_zone text, ttl integer)
on conflict (tenant_no, ip) do update set source = excluded.source, subnet_no = excluded.subnet_no, fqdn = excluded.fqdn,
  identities = excluded.identities, dhcid = excluded.dhcid, conflict_mode = excluded.conflict_mode,
  dns_server_no = excluded.dns_server_no, adapter = excluded.adapter, forward_zone = excluded.forward_zone,
  reverse_zone = excluded.reverse_zone, ttl = excluded.ttl, updated_at = now();

-- name: put_aliases!
-- The same of aliases.
insert into ddns_alias (tenant_no, ip, fqdn, target, source, subnet_no, identities, dhcid, conflict_mode, dns_server_no,
  adapter, forward_zone, ttl)
select tenant_no, ip, fqdn, target, source, subnet_no, '{}', decode(dhcid, 'hex'), conflict_mode, dns_server_no, adapter,
  forward_zone, ttl
from jsonb_to_recordset(:rows::jsonb) as b (tenant_no integer, ip inet, fqdn text, target text, source text,
  subnet_no integer, dhcid text, conflict_mode text, dns_server_no integer, adapter text, forward_zone text, ttl integer)
on conflict (tenant_no, ip, fqdn) do update set target = excluded.target, source = excluded.source,
  subnet_no = excluded.subnet_no, dhcid = excluded.dhcid, conflict_mode = excluded.conflict_mode,
  dns_server_no = excluded.dns_server_no, adapter = excluded.adapter, forward_zone = excluded.forward_zone,
  ttl = excluded.ttl, updated_at = now();

-- name: supersede!
-- An update that was not sent yet of an address of which DNS shall say something else by now; what it would have added need
-- not be removed either, but removing what is not there does no harm.
update ddns_update u set state = 'superseded', updated_at = now()
from unnest(:tenants::integer[], :ips::inet[], :aliases::text[]) as a (tenant_no, ip, alias)
where u.tenant_no = a.tenant_no and u.ip = a.ip and u.is_alias = (a.alias is not null)
  and (a.alias is null or u.fqdn = a.alias) and u.action = 'add' and u.state in ('pending', 'retrying', 'conflict');

-- name: enqueue!
-- In the order in which they are to be sent.
insert into ddns_update (id, tenant_no, subnet_no, dns_server_no, action, ip, fqdn, forward_zone, reverse_zone, ttl, dhcid,
  identities, adapter, conflict_mode, source, is_alias, target, regains, state, last_error, next_attempt_at)
select id, tenant_no, subnet_no, dns_server_no, action, ip, fqdn, forward_zone, reverse_zone, ttl, decode(dhcid, 'hex'),
  array(select decode(each, 'hex') from jsonb_array_elements_text(identities) as each), adapter, conflict_mode, source,
  coalesce(is_alias, false), target, coalesce(regains, false), coalesce(state, 'pending'), last_error, case when state is null then now() end
from rows from (jsonb_to_recordset(:rows::jsonb) as (id uuid, tenant_no integer, subnet_no integer,
  dns_server_no integer, action text, ip inet, fqdn text, forward_zone text, reverse_zone text, ttl integer, dhcid text,
  identities jsonb, adapter text, conflict_mode text, source text, is_alias boolean, target text, regains boolean, state text, last_error text)) with ordinality as u
order by ordinality;

-- name: tell_senders!
-- Every worker may send what was put into the outbox.
select pg_notify('ddns_update', '');

-- name: claim_due
-- The oldest unfinished update of each name and of each address of a tenant, of those that are due: what concerns one name
-- is sent in its order, different names at once, the aliases of an address too; no tenant's updates wait for those of another. Claimed for a while, so that
-- one whose worker dies is taken up by another.
-- A lane is a tenant's server, the embedded one 0. Lanes with which the worker is busy are left out, so that a slow server
-- holds up no other. Tenants and lanes are found one descent of the index each, however many updates wait in them, and
-- tenants share what is claimed at once. `limited` may have as many more as `allowed` says. Of a tenant's lanes those from a
-- random place on are looked at, and the first ones, `lanes` each.
with recursive tenant (no) as (
  (select tenant_no from ddns_update where state in ('pending', 'retrying') order by tenant_no limit 1)
  union all
  select (select u.tenant_no from ddns_update u
    where u.state in ('pending', 'retrying') and u.tenant_no > tenant.no order by u.tenant_no limit 1)
  from tenant where tenant.no is not null
), busy (tenant_no, server_no) as materialized (
  select * from unnest(:busy_tenants::integer[], :busy_servers::integer[])
), share as materialized (
  select tenant.no,
    least(greatest(:at_most::integer / count(*) over (), 16), coalesce(allowed.more, :at_most::integer)) as most,
    :lanes::integer - (select count(*) from busy where busy.tenant_no = tenant.no) as lanes
  from tenant
  left join unnest(:limited::integer[], :allowed::integer[]) as allowed (tenant_no, more) on allowed.tenant_no = tenant.no
  where tenant.no is not null
), due as (
  select chosen.no from share cross join lateral (
    select u.no
    from (
      select seen.no from (
        with recursive lane (no, place) as (
          (select coalesce(u.dns_server_no, 0), start.place
            from (values (0, 0), (floor(:place::float8 * (select max(no) from dns_server))::integer, 0)) as start (no, place)
            cross join lateral (select dns_server_no from ddns_update u
              where u.state in ('pending', 'retrying') and u.tenant_no = share.no and coalesce(u.dns_server_no, 0) >= start.no
              order by coalesce(u.dns_server_no, 0) limit 1) as u)
          union
          select (select coalesce(u.dns_server_no, 0) from ddns_update u
              where u.state in ('pending', 'retrying') and u.tenant_no = share.no and coalesce(u.dns_server_no, 0) > lane.no
              order by coalesce(u.dns_server_no, 0) limit 1), lane.place + 1
          from lane where lane.no is not null and lane.place < :lanes::integer
        )
        select distinct lane.no from lane where lane.no is not null
          and not exists (select from busy where busy.tenant_no = share.no and busy.server_no = lane.no)
      ) as seen order by random() limit greatest(share.lanes, 0)
    ) as lane
    cross join lateral (
      select u.no from ddns_update u
      where state in ('pending', 'retrying') and next_attempt_at <= now()
        and u.tenant_no = share.no and coalesce(u.dns_server_no, 0) = lane.no
        and (claimed_until is null or claimed_until < now())
        and not exists (select from ddns_update o
          where o.tenant_no = u.tenant_no and o.fqdn = u.fqdn and o.no < u.no and o.state in ('pending', 'retrying'))
        and not exists (select from ddns_update o
          where o.tenant_no = u.tenant_no and o.ip = u.ip and not o.is_alias and not u.is_alias and o.no < u.no
            and o.state in ('pending', 'retrying'))
        -- One that was superseded while it was sent may still arrive.
        and not exists (select from ddns_update o
          where o.claimed_until > now() and o.no < u.no and o.tenant_no = u.tenant_no
            and (o.fqdn = u.fqdn or o.ip = u.ip and not o.is_alias and not u.is_alias))
      order by next_attempt_at, no limit greatest(share.most, 0) for update skip locked
    ) as u
    limit greatest(share.most, 0)
  ) as chosen
)
update ddns_update u set claimed_until = now() + make_interval(secs => :seconds::float8), attempts = attempts + 1
from due where u.no = due.no
returning u.no, u.id, u.tenant_no, u.subnet_no, u.dns_server_no, u.action, u.ip, u.fqdn, u.forward_zone, u.reverse_zone,
  u.ttl, u.dhcid, u.identities, u.adapter, u.conflict_mode, u.source, u.is_alias, u.target, u.regains, u.attempts;

-- name: names_of_children
-- Names at or below a zone of the tenant that lies below the one they would be written to: that zone answers for them.
-- Beside our own zones (`embedded`) one for which nothing answers is none.
select n.zone, n.fqdn from jsonb_to_recordset(:names::jsonb) as n (zone text, fqdn text, below text[])
where exists (select from dns_zone z where z.tenant_no = :tenant_no::integer and z.name = any(n.below)
  and (z.dns_enabled or z.dns_server_no is not null or not :embedded::boolean));

-- name: claim_names
-- Owners of names: the first client, or one that shares an identity with it, or any where nothing is checked; operators'
-- names before those, all together. Names without a row in the answer are another's. The mark of the first stands for all;
-- `before` keeps the one that it replaces. In an order, so that two workers do not wait in a circle.
insert into ddns_owner as o (tenant_no, dns_server_no, zone, fqdn, by_operator, owners, dhcid)
select :tenant_no::integer, :dns_server_no::integer, zone, fqdn, by_operator,
  array(select decode(each, 'hex') from jsonb_array_elements_text(identities) as each), decode(dhcid, 'hex')
from jsonb_to_recordset(:names::jsonb) as n (zone text, fqdn text, by_operator boolean, identities jsonb, dhcid text)
order by zone, fqdn
on conflict (tenant_no, dns_server_no, zone, fqdn) do update set
  by_operator = o.by_operator or excluded.by_operator,
  owners = case when {shares name} then array(select unnest(o.owners) union select unnest(excluded.owners))
    else excluded.owners end,
  dhcid = case when {shares name} then coalesce(o.dhcid, excluded.dhcid) else excluded.dhcid end,
  before = case when {shares name} then o.before else coalesce(o.before, o.dhcid, '') end
where {shares name} or excluded.by_operator or not o.by_operator and not :checked::boolean
returning zone, fqdn, before is not null as replaces;

-- name: operators_names
-- Those that an assignment or reservation has.
select o.zone, o.fqdn from ddns_owner o
join unnest(:zones::text[], :names::text[]) as n (zone, fqdn) on n.zone = o.zone and n.fqdn = o.fqdn
where o.tenant_no = :tenant_no::integer and o.dns_server_no = :dns_server_no::integer and o.by_operator;

-- name: narrow_owners!
-- Before an operator's address is removed: its name belongs to those whom the other assignments and reservations name, or
-- where none is left, to the first of the leases that shared it.
update ddns_owner o set owners = case
    when exists (select from ddns_published b where {is owner's} and b.source <> 'lease')
    then array(select distinct unnest(b.identities) from ddns_published b where {is owner's} and b.source <> 'lease')
    else coalesce((select b.identities from ddns_published b where {is owner's} order by b.updated_at, b.ip limit 1), o.owners)
    end
from unnest(:zones::text[], :names::text[]) as n (zone, fqdn)
where o.tenant_no = :tenant_no::integer and o.dns_server_no = :dns_server_no::integer
  and o.zone = n.zone and o.fqdn = n.fqdn and o.by_operator;

-- name: displaced
-- Leases whose names are an operator's, as far as nothing waits for them already.
select b.* from ddns_owner o
join unnest(:zones::text[], :names::text[]) as n (zone, fqdn) on n.zone = o.zone and n.fqdn = o.fqdn
join ddns_binding b on b.tenant_no = o.tenant_no
  and case b.adapter when 'embedded' then 0 else coalesce(b.dns_server_no, 0) end = o.dns_server_no and b.forward_zone = o.zone and b.fqdn = o.fqdn
where o.tenant_no = :tenant_no::integer and o.dns_server_no = :dns_server_no::integer
  and o.by_operator and b.source = 'lease' and not b.identities && o.owners
  and not exists (select from ddns_update u where u.tenant_no = b.tenant_no and u.ip = b.ip and u.fqdn = b.fqdn
    and u.action = 'add' and u.state in ('pending', 'retrying', 'conflict'));

-- name: names_of_updates
-- Of each update the mark of its name, if it has an owner, and the data that the name is to have, with their sources: of an
-- alias by CNAME the targets that others ask for it, else the addresses of its family (the first ones, where there are too
-- many). Whether any other address of the owner stays or is still to be removed; whether anything still claims the name;
-- and whether all that does are aliases by CNAME, which no mark is put beside.
select n.no, o.fqdn is not null as is_owned, o.by_operator, o.dhcid, o.before, case when n.target is null then (
    select coalesce(jsonb_object_agg(host(a.ip), a.source), '{}') from (
      select b.ip, b.source from ddns_published b
      where {is owner's} and {counts for owner} and b.target is null and family(b.ip) = family(n.ip)
      order by b.updated_at, b.ip limit :most::integer) a)
  else (
    select coalesce(jsonb_object_agg(b.target || '.', b.source), '{}') from ddns_published b
    where {is owner's} and b.target = n.target) end as data,
  exists (select from ddns_published b where {is owner's} and b.target is null and (b.ip, b.is_alias) <> (n.ip, n.is_alias))
  or exists (select from ddns_update b where {is owner's} and b.no <> n.no and b.target is null
    and b.action = 'remove' and b.state in ('pending', 'retrying')) as keeps_name,
  exists (select from ddns_published b where {is owner's} and (b.ip <> n.ip or b.is_alias or n.is_alias))
  or exists (select from ddns_update b where {is owner's} and b.no <> n.no
    and b.action = 'remove' and b.state in ('pending', 'retrying')) as is_claimed,
  o.by_operator and not exists (select from ddns_published b where {is owner's} and b.target is null) as only_aliases
from jsonb_to_recordset(:names::jsonb) as n (no bigint, zone text, fqdn text, ip inet, is_alias boolean, target text)
left join ddns_owner o on o.tenant_no = :tenant_no::integer and o.dns_server_no = :dns_server_no::integer
  and o.zone = n.zone and o.fqdn = n.fqdn;

-- name: settle_owners!
-- After updates: marks that were replaced are no longer looked for; a name whose last address was removed is nobody's, and
-- the client that asked for it first, of those that were refused, is given it; one that only leases have is no operator's.
-- Where an address went, others that an operator entered may find room.
with told as (
  select * from jsonb_to_recordset(:names::jsonb) as n (zone text, fqdn text, applied boolean, frees boolean)
), gone as (
  delete from ddns_owner o using told n
  where o.tenant_no = :tenant_no::integer and o.dns_server_no = :dns_server_no::integer
    and o.zone = n.zone and o.fqdn = n.fqdn and n.frees
  returning o.zone, o.fqdn
), kept as (
  update ddns_owner o set before = case when n.applied then null else o.before end,
    by_operator = case when n.applied then o.by_operator
      else exists (select from ddns_published b where {is owner's} and b.source <> 'lease') end
  from told n
  where o.tenant_no = :tenant_no::integer and o.dns_server_no = :dns_server_no::integer
    and o.zone = n.zone and o.fqdn = n.fqdn and not n.frees
), next as (
  (select distinct on (gone.zone, gone.fqdn) gone.zone, gone.fqdn, b.ip, b.identities
  from gone join ddns_update u on u.tenant_no = :tenant_no::integer
    and case u.adapter when 'embedded' then 0 else coalesce(u.dns_server_no, 0) end = :dns_server_no::integer and u.forward_zone = gone.zone and u.fqdn = gone.fqdn
    and u.action = 'add' and u.state = 'conflict'
  join ddns_published b on b.tenant_no = u.tenant_no and b.ip = u.ip and b.fqdn = u.fqdn
  order by gone.zone, gone.fqdn, b.updated_at, u.no)
  union all
  select n.zone, n.fqdn, u.ip, u.identities from told n join ddns_update u on u.tenant_no = :tenant_no::integer
    and case u.adapter when 'embedded' then 0 else coalesce(u.dns_server_no, 0) end = :dns_server_no::integer and u.forward_zone = n.zone and u.fqdn = n.fqdn
    and u.action = 'add' and u.state = 'conflict' and u.source <> 'lease'
  where not n.applied and not n.frees and (u.target is null or not exists (
    -- An alias whose host name was renamed keeps its place.
    select from ddns_update w where w.tenant_no = u.tenant_no and w.fqdn = u.fqdn and w.forward_zone = u.forward_zone
      and w.action = 'add' and w.target is not null and w.state in ('pending', 'retrying')))
)
update ddns_update u set state = 'pending', next_attempt_at = now(), claimed_until = null, updated_at = now()
from next where u.tenant_no = :tenant_no::integer and case u.adapter when 'embedded' then 0 else coalesce(u.dns_server_no, 0) end = :dns_server_no::integer
  and u.forward_zone = next.zone and u.fqdn = next.fqdn and u.state = 'conflict' and u.action = 'add'
  and (u.ip = next.ip or u.identities && next.identities);

-- name: retry_conflicts!
-- Names at which an operator's record was written or deleted are tried again, those below a DNAME or NS record, and those of
-- which the record stood in the way of the PTR.
with touched as materialized (
  select z.tenant_no, z.name as zone, side.record ->> 'fqdn' as fqdn, side.record ->> 'type' as type
  from change c, lateral (values (c.before), (c.after)) as side (record), dns_zone z
  where c.xid >= :since::text::xid8 and c.xid < :until::text::xid8 and c.object_type = 'dns_record'
    and c.action <> 'created' and z.id = (side.record ->> 'zone_id')::uuid
), freed as (
  select u.no from touched t join ddns_update u on u.tenant_no = t.tenant_no and u.fqdn = t.fqdn
  where u.action = 'add' and u.state = 'conflict'
  union
  select u.no from touched t join ddns_update u on u.tenant_no = t.tenant_no and right(u.fqdn, length(t.fqdn) + 1) = '.' || t.fqdn
  where t.type in ('DNAME', 'NS') and u.action = 'add' and u.state = 'conflict'
  union
  select u.no from touched t join ddns_update u on u.tenant_no = t.tenant_no and u.reverse_zone = t.zone
  where t.type in ('DNAME', 'NS', 'CNAME', 'PTR') and u.action = 'add' and u.state = 'conflict'
)
update ddns_update u set state = 'pending', next_attempt_at = now(), claimed_until = null, updated_at = now()
from freed where u.no = freed.no and u.state = 'conflict';

-- name: finish!
-- What became of updates. One that was overtaken while it was sent stays so, and holds nobody up any more.
update ddns_update u set claimed_until = null, last_error = o.error, updated_at = now(),
  state = case when u.state in ('pending', 'retrying') then o.state else u.state end,
  next_attempt_at = case when u.state in ('pending', 'retrying') and o.state = 'retrying'
    then now() + make_interval(secs => o.pause) end,
  applied_at = case when o.state = 'applied' then now() else u.applied_at end
from jsonb_to_recordset(:outcomes::jsonb) as o (no bigint, state text, error text, pause float8)
where u.no = o.no;

-- name: server^
-- Where an update goes, its sealed secret, and whether a tenant chose the destination.
select dns_server.id, tenant_no, dns_server.name, adapter, address, port, url, server_id, key_name, key_algorithm, principal,
  realm, keytab, ticket_cache, secret, dns_server.updated_at, by_tenant or not tenant.is_default as of_tenant
from dns_server join tenant on tenant.no = tenant_no where dns_server.no = :no::integer;

-- name: give_back!
-- Updates that were claimed and are not sent, because the worker ends.
update ddns_update set claimed_until = null, attempts = greatest(attempts - 1, 0)
where no = any(:numbers::bigint[]);

-- name: outbox
-- For metrics: what is not done, by adapter and state, and for how long the oldest of it waits.
select adapter, state, count(*) as count, extract(epoch from now() - min(created_at))::float8 as oldest
from ddns_update where state in ('pending', 'retrying', 'failed', 'conflict')
group by adapter, state;

-- name: events_lag$
-- For metrics: how long ago the oldest event was logged that no worker has read.
select coalesce((select extract(epoch from now() - e.at)::float8 from worker_cursor, lease_event e
  where worker_cursor.name = 'ddns' and e.xid >= worker_cursor.xid and e.at > worker_cursor.updated_at - interval '1 day'
  order by e.xid limit 1), 0);

-- name: forget_done!
-- What was done, overtaken or given up long ago; some at a time.
delete from ddns_update where no in (
  select no from ddns_update where state in ('applied', 'superseded', 'failed')
    and updated_at < now() - make_interval(days => :days::integer) limit :at_most::integer for update skip locked);

-- name: tenant_of_zone$
-- Whose zone it is.
select tenant_no from dns_zone where no = :zone_no::integer;

-- name: server_of_zone^
-- Which server answers for the zone: its own, else the one that most of its names are sent to; null: the embedded one.
select z.dns_server_no, s.adapter from (
  select coalesce(dns_server_no, (
    select b.dns_server_no from ddns_published b
    where b.tenant_no = z.tenant_no and (b.forward_zone = z.name or b.reverse_zone = z.name)
    group by b.dns_server_no order by count(*) desc limit 1)) as dns_server_no
  from dns_zone z where z.no = :zone_no::integer) z
left join dns_server s on s.no = z.dns_server_no;

-- name: bindings_of_zone
-- What is to stand in a zone at a server (the embedded one: 0). Those that have an update under way or in conflict are left
-- alone; a name that another has, or a newer address of its client, is not written (`is_written`).
select b.*, exists (select from ddns_update u
  where u.tenant_no = b.tenant_no and u.state in ('pending', 'retrying', 'conflict')
    and (u.fqdn = b.fqdn or u.ip = b.ip and not u.is_alias and not b.is_alias))
  as is_waiting, b.forward_zone is null or exists (
    select from ddns_owner o where {is owner's} and {counts for owner}) as is_written
from ddns_published b
where b.tenant_no = :tenant_no::integer and coalesce(b.dns_server_no, 0) = :dns_server_no::integer
  and (b.forward_zone = :zone::text or b.reverse_zone = :zone::text);

-- name: once_added
-- What was put into a zone at a server as far as the outbox remembers, last of each name, address and target; what another server
-- or person wrote there is not among it.
select distinct on (fqdn, ip, target) u.subnet_no, u.ip, u.fqdn, u.forward_zone, u.reverse_zone, u.ttl, u.dhcid, u.identities,
  u.adapter, u.conflict_mode, u.source, u.dns_server_no, u.is_alias, u.target
from ddns_update u
where tenant_no = :tenant_no::integer and coalesce(dns_server_no, 0) = :dns_server_no::integer
  and action = 'add' and applied_at is not null and (forward_zone = :zone::text or reverse_zone = :zone::text)
  and not exists (select from ddns_update w where w.tenant_no = u.tenant_no and w.state in ('pending', 'retrying')
    and (w.fqdn = u.fqdn or w.ip = u.ip and not w.is_alias and not u.is_alias))
order by fqdn, ip, target, no desc;

-- name: hold_cursor!
-- Nobody reads events while repairs are put into the outbox, so that none of them comes after news that it does not know.
select from worker_cursor where name = 'ddns' for update;
