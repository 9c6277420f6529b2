-- Addresses that machines visibly use, which no pool gives (decisions: Never leased). Triggers note the relays that the
-- plan names; these are the others.

-- name: note_addresses(node_no, addresses, relays)!
-- A server's own addresses, and the hosts of its setting trusted_relays, in place of what it noted before.
with told as (
  select no as tenant_no, host(address)::inet as address, source, kind from tenant cross join (
    select address, 'node:' || :node_no::integer as source, 'server' as kind from unnest(:addresses::inet[]) as address
    union
    select address, 'setting:' || :node_no::integer, 'relay' from unnest(:relays::inet[]) as address) as given
  where is_default
), gone as (
  delete from address_in_use as noted
  where source in ('node:' || :node_no::integer, 'setting:' || :node_no::integer)
    and not exists (select from told where told.source = noted.source and told.address = noted.address)
)
insert into address_in_use (tenant_no, address, source, kind)
select tenant_no, address, source, kind from told
where not exists (
  select from address_in_use as noted
  where noted.tenant_no = told.tenant_no and noted.address = told.address and noted.source = told.source)
order by tenant_no, address, source
on conflict do nothing;

-- name: forget_nodes!
-- The addresses of servers that have been silent for an hour, and of those that are no longer among the nodes.
delete from address_in_use where (source like 'node:%' or source like 'setting:%') and not exists (
  select from node
  where node.no = split_part(source, ':', 2)::integer and heartbeat_at >= now() - interval '1 hour');

-- name: judge_leases(all_of_them)!
-- Whether a client holds the address is judged when the address is noted, for a minute after that, while one holds it, and
-- now and then.
update address_in_use set leased = not leased
where (leased or noted_at > now() - interval '1 minute' or :all_of_them::boolean)
  and leased <> is_in_use_leased(tenant_no, address, kind);

-- name: forget_touches!
-- Every server has read them long ago.
delete from subnet_touch where at < now() - interval '1 day';

-- name: hold_notes$
-- One server notes the relays that it has seen at a time.
select pg_advisory_xact_lock(hashtext('ipam relays seen'));

-- name: note_packets(subnets, addresses, packets)!
-- Of relays that are noted already, every five minutes and while another one wants a place.
with seen as (
  select 'seen:' || subnet_no as source, address, packets
  from unnest(:subnets::integer[], :addresses::inet[], :packets::bigint[]) as given (subnet_no, address, packets)
)
update address_in_use as noted set seen_at = now(), packets = noted.packets + seen.packets from seen
where noted.source = seen.source and noted.address = seen.address
  and (noted.seen_at < now() - interval '5 minutes' or exists (
    select from seen as other where other.source = seen.source and not exists (
      select from address_in_use as known where known.source = other.source and known.address = other.address)));

-- name: note_relays(subnets, addresses, packets, most)!
-- New ones; of each subnet the busiest remain, and of equal ones those that were noted before.
with seen as (
  select 'seen:' || subnet_no as source, subnet.tenant_no, address, packets
  from unnest(:subnets::integer[], :addresses::inet[], :packets::bigint[]) as given (subnet_no, address, packets)
  join subnet on subnet.no = subnet_no
), ranked as (
  select source, tenant_no, address, packets, is_new,
    row_number() over (partition by source order by packets desc, is_new, address) as place
  from (
    select source, tenant_no, address, packets, false as is_new from address_in_use
    where source in (select source from seen)
    union all
    select source, tenant_no, address, packets, true from seen
    where not exists (
      select from address_in_use as noted where noted.source = seen.source and noted.address = seen.address)
  ) as known
), gone as (
  delete from address_in_use as noted using ranked
  where place > :most::integer and not is_new and noted.source = ranked.source and noted.address = ranked.address
)
insert into address_in_use (tenant_no, address, source, kind, packets)
select tenant_no, address, source, 'relay', packets from ranked where is_new and place <= :most::integer;

-- name: forget_relays!
-- An hour after their last packet, which may be noted five minutes late.
delete from address_in_use where source like 'seen:%' and seen_at < now() - interval '65 minutes';
