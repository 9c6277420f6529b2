-- name: trusted_relay_view^
-- An entry without a tenant is the default tenant's, so the join is outer.
select trusted_relay.no, trusted_relay.id, tenant.id as tenant_id, trusted_relay.cidr, trusted_relay.sources,
       array(select address from relay_source where relay_no = trusted_relay.no
             order by last_seen_at desc, address) as sources_seen,
       trusted_relay.vss, trusted_relay.client_vss,
       trusted_relay.description, trusted_relay.created_at, trusted_relay.updated_at
from trusted_relay left join tenant on tenant.no = trusted_relay.tenant_no;

-- name: other_entry^
-- A relay belongs to one tenant, so a network is trusted once over all of them. What a release before this one allowed stays
-- as it is.
select 'trusted_relay' as type, trusted_relay.id, trusted_relay.cidr, tenant.name as tenant
from trusted_relay left join tenant on tenant.no = trusted_relay.tenant_no
where cidr = :cidr::cidr and trusted_relay.no <> :no::integer limit 1;

-- name: note_sources!
-- From where packets came, as the servers report it. An address that was noted within the hour is not written again.
insert into relay_source (relay_no, address, last_seen_at)
select distinct no, address, now()
from unnest(:relays::integer[], :addresses::inet[]) as seen (relay_no, address)
join trusted_relay on trusted_relay.no = seen.relay_no
on conflict (relay_no, address) do update set last_seen_at = excluded.last_seen_at
where relay_source.last_seen_at < now() - interval '1 hour';

-- name: forget_sources!
-- Sources can be forged, so the list of an entry must end somewhere.
delete from relay_source using (
  select relay_no, address, row_number() over (partition by relay_no order by last_seen_at desc, address) as place
  from relay_source where relay_no = any(:relays::integer[])
) as ranked
where ranked.place > :kept::integer
  and relay_source.relay_no = ranked.relay_no and relay_source.address = ranked.address;
