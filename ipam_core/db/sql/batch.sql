-- name: settle^
-- The end of a transaction that gives addresses to machines, in one round trip: its change rows (see change.sql), the
-- first of its new reservations whose address something else in the subnet holds, and the last locks (see the function).
-- A reservation that a later operation has deleted or moved is not looked at. Whoever is refused rolls back.
with written as materialized (
  select * from unnest(
    :tenants::integer[], :subnets::integer[], :types::text[], :ids::text[], :actions::text[], :befores::jsonb[],
    :afters::jsonb[]) with ordinality as changed (tenant_no, subnet_no, object_type, object_id, action, before, after, place)
), recorded as (
  insert into change (tenant_no, subnet_no, object_type, object_id, action, before, after,
                      token_id, token_name, remote_address, request_id)
  select tenant_no, subnet_no, object_type, object_id, action, before, after,
         :token_id::uuid, :token_name::text, :remote_address::inet, :request_id::text
  from written order by place
), told as (
  select count(pg_notify('ipam_change', coalesce(subnet_no::text, ''))) as subnets
  from (select distinct subnet_no from written) as concerned
), in_the_way as (
  select given.place, holder.* from unnest(:reserved_in::integer[], :reserved::inet[])
    with ordinality as given (subnet_no, ip, place)
  join reservation on reservation.subnet_no = given.subnet_no and reservation.ip = given.ip
  cross join lateral in_the_way_of(given.subnet_no, given.ip) as holder
  order by given.place limit 1
)
select settled.lost, settled.excess, told.subnets, in_the_way.*
from settle_addresses(:given_by::integer[], :given_in::integer[], :given::inet[], :cap::bigint) as settled
cross join told left join in_the_way on true;
