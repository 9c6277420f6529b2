-- name: note_seen!
-- The serials that secondaries told, in the order of the key, since several servers write them; each row is written when it says something else, or nothing for five minutes. The zone's
-- serial may have gone on when the row is read: what differs is then judged by that.
insert into dns_secondary (zone_no, dns_server_no, serial, seen_at, differs_since)
select seen.zone_no, seen.server_no, seen.serial, now(),
       case when seen.serial <> dns_published.serial then dns_published.published_at end
from unnest(:zones::integer[], :servers::integer[], :serials::bigint[]) as seen (zone_no, server_no, serial)
join dns_zone on dns_zone.no = seen.zone_no
join dns_server on dns_server.no = seen.server_no
join dns_published on dns_published.zone_no = seen.zone_no
order by seen.zone_no, seen.server_no
on conflict (zone_no, dns_server_no) do update
set serial = excluded.serial, seen_at = excluded.seen_at,
    differs_since = case when excluded.differs_since is not null
                         then coalesce(dns_secondary.differs_since, excluded.differs_since) end
where dns_secondary.serial is distinct from excluded.serial
   or (dns_secondary.differs_since is null) <> (excluded.differs_since is null)
   or dns_secondary.seen_at < now() - interval '5 minutes';

-- name: note_refusals!
-- The last refusal of each; one that is said again and again is written once a minute.
insert into dns_secondary (zone_no, dns_server_no, refusal, refused_at)
select told.zone_no, told.server_no, told.refusal, now()
from unnest(:zones::integer[], :servers::integer[], :refusals::text[]) as told (zone_no, server_no, refusal)
join dns_zone on dns_zone.no = told.zone_no
join dns_server on dns_server.no = told.server_no
order by told.zone_no, told.server_no
on conflict (zone_no, dns_server_no) do update
set refusal = excluded.refusal, refused_at = excluded.refused_at
where dns_secondary.refusal is distinct from excluded.refusal
   or dns_secondary.refused_at < now() - interval '1 minute';

-- name: find_zone^
-- The zone that an id names; of another tenant there is none.
select no from dns_zone where id = :id::uuid and (:tenant_no::integer is null or tenant_no = :tenant_no::integer);

-- name: secondaries
-- Of one zone, or (null) of all that are served. `newer`: serials that were given since its own, as far as the deltas know.
-- `differs_since` is when the first of them was given, or when the secondary was first seen to differ.
select dns_zone.no as zone_no, dns_zone.id as zone_id, dns_zone.name as zone, dns_zone.tenant_no,
       dns_server.no as server_no, dns_secondary.told_state, dns_server.id as dns_server_id, dns_server.name, dns_server.address,
       coalesce(dns_server.port, 53) as port, dns_published.serial as zone_serial, dns_secondary.serial,
       dns_secondary.seen_at, dns_secondary.refusal, dns_secondary.refused_at,
       missed.newer, coalesce(missed.since, dns_secondary.differs_since, dns_published.published_at) as differs_since
from dns_zone
cross join lateral unnest(dns_zone.secondary_ids) with ordinality as named (id, place)
join dns_server on dns_server.id = named.id
left join dns_published on dns_published.zone_no = dns_zone.no
left join dns_secondary on dns_secondary.zone_no = dns_zone.no and dns_secondary.dns_server_no = dns_server.no
left join lateral (
  select count(*) as newer, min(delta.at) as since from dns_zone_delta as delta
  where delta.zone_no = dns_zone.no and dns_secondary.serial <> dns_published.serial
    and delta.at >= (select max(first.at) from dns_zone_delta as first
                     where first.zone_no = dns_zone.no and first.previous = dns_secondary.serial)
) as missed on true
where dns_zone.no = :zone_no::integer or :zone_no::integer is null and dns_zone.dns_enabled
order by dns_zone.no, named.place;

-- name: change_states
-- The states of which events tell, in the order of the key; `before`: the one of which the last event told. Rows that another
-- server has changed meanwhile are not returned.
with told as (
  select now.zone_no, now.server_no, now.state from unnest(:zones::integer[], :servers::integer[], :states::text[])
    as now (zone_no, server_no, state)
), held as (
  select s.zone_no, s.dns_server_no, s.told_state from dns_secondary s
  join told on told.zone_no = s.zone_no and told.server_no = s.dns_server_no
  where s.told_state is distinct from told.state
  order by s.zone_no, s.dns_server_no for update of s
)
update dns_secondary set told_state = told.state from held
join told on told.zone_no = held.zone_no and told.server_no = held.dns_server_no
where dns_secondary.zone_no = held.zone_no and dns_secondary.dns_server_no = held.dns_server_no
returning dns_secondary.zone_no, dns_secondary.dns_server_no as server_no, held.told_state as before;

-- name: lagging(tenant_no, tenant_id, at_most)
-- Secondaries of served zones of which the last event told that they do not follow: few, whichever there are.
select dns_zone.id as zone_id, dns_zone.name as zone, dns_server.id as dns_server_id, dns_server.name, dns_server.address,
       coalesce(dns_server.port, 53) as port, dns_published.serial as zone_serial, dns_secondary.serial,
       dns_secondary.seen_at, dns_secondary.refusal, dns_secondary.refused_at, 0 as newer, dns_secondary.differs_since
from dns_secondary
join dns_zone on dns_zone.no = dns_secondary.zone_no and dns_zone.dns_enabled
join dns_server on dns_server.no = dns_secondary.dns_server_no and dns_server.id = any(dns_zone.secondary_ids)
join dns_published on dns_published.zone_no = dns_zone.no
join tenant on tenant.no = dns_zone.tenant_no
where dns_secondary.told_state <> 'current' and dns_secondary.serial is distinct from dns_published.serial
  and (:tenant_no::integer is null or tenant.no = :tenant_no::integer)
  and (:tenant_id::uuid is null or tenant.id = :tenant_id::uuid)
order by dns_zone.no, dns_server.no limit :at_most::integer;
