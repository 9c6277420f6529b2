-- name: try_refresh$
-- One refreshes at a time, whichever process it is in.
select pg_try_advisory_xact_lock(hashtext('ipam usage'));

-- name: read_cursor^
-- `stale`: the events since may have been deleted, the database is another one than was counted, or its clock went back.
-- `since` and `until`: between these lie the times of the events since, but for a transaction that was open for longer
-- than a day; everything is counted anew every hour.
select extract(epoch from now() - as_of)::float8 as age,
       as_of < now() - interval '1 hour' or as_of > now() + interval '1 minute'
         or pg_snapshot_xmax(seen) > pg_snapshot_xmax(pg_current_snapshot()) as stale,
       as_of - interval '1 day' as since, now() + interval '1 hour' as until
from usage_cursor;

-- name: plan_for_values!
-- For this transaction: days of the log that the bounds leave out are left out in planning, and not locked one by one.
set local plan_cache_mode = force_custom_plan;

-- name: forget_all!
-- When the history since has gone, or the clock went back, no figure can be continued.
delete from usage;

-- name: add_lease_events!
-- What the leases' history says since the last time: exactly the transactions that this snapshot sees and the last one
-- did not. A lease that begins is one more (a renewal keeps granted_at), one that ends is one less; an address that was
-- quarantined without having been leased is neither.
with step as materialized (
  select subnet_no, address, case when ia_type = 25 then prefix_length end as delegated,
    sum(case when kind in ('g', 'n') then 1 else -1 end) as change
  from lease_event
  where at >= :since::timestamptz and at < :until::timestamptz
    and xid >= (select pg_snapshot_xmin(seen) from usage_cursor)
    and not pg_visible_in_snapshot(xid, (select seen from usage_cursor))
    and case when kind in ('g', 'n') then granted_at = at when kind = 'd' then granted_at < at else true end
  group by subnet_no, address, case when ia_type = 25 then prefix_length end
), sums as (
  select usage.subnet_no, usage.pool_no, sum(change) as leased,
         coalesce(sum(change) filter (where reservation.no is null and delegation.no is null), 0) as open
  from step
  join usage on usage.subnet_no = step.subnet_no and step.address between usage.first and usage.last
  left join reservation on reservation.subnet_no = step.subnet_no and reservation.ip = step.address
  left join reservation delegation on delegation.subnet_no = step.subnet_no
    and delegation.prefix = set_masklen(step.address, step.delegated)::cidr
  where change <> 0
  group by usage.subnet_no, usage.pool_no
)
update usage set leased = greatest(0, usage.leased + sums.leased), open = greatest(0, usage.open + sums.open)
from sums where sums.subnet_no = usage.subnet_no and sums.pool_no = usage.pool_no;

-- name: subnets_due
-- Subnets whose plan or addresses in use have changed, or was never counted, and those that no longer exist; one that holds much waits in
-- proportion, so that counting takes a small part of the time. Each is counted anew every hour in any case.
select coalesce(subnet.no, usage.subnet_no) as no
from subnet full join (select * from usage where pool_no = 0) as usage on usage.subnet_no = subnet.no
where subnet.no is null or usage.subnet_no is null
   or (usage.fence <> subnet.fence
       and usage.counted_at < now() - make_interval(secs => (usage.reserved + usage.assigned + usage.leased) * 0.00005))
   or usage.counted_at < now() - interval '1 hour'
   or exists (select from subnet_touch where subnet_no = usage.subnet_no and at > usage.counted_at - interval '10 seconds')
order by usage.counted_at nulls first
limit :at_most::integer;

-- name: forget_subnets!
-- Before they are counted anew, and for good where the subnet has been deleted.
delete from usage where subnet_no = any(:numbers::integer[]);

-- name: count_subnets!
-- The subnet as a whole (pool 0) and each of its pools, with the fence under which they are right. A pool that delegates
-- counts prefixes.
with wanted as (
  select no, tenant_no, fence, first, last from subnet cross join lateral usable_range(cidr)
  where no = any(:numbers::integer[])
), ranges as (
  select no as subnet_no, 0 as pool_no, tenant_no, fence, first, last from wanted
  union all
  select wanted.no, pool.no, tenant_no, fence, start_ip, end_ip from pool join wanted on pool.subnet_no = wanted.no
  where start_ip is not null
)
insert into usage (subnet_no, pool_no, fence, first, last, total, excluded, reserved, assigned, taken, leased, open)
select subnet_no, pool_no, fence, first, last, total, excluded, reserved, assigned, taken, leased, open
from ranges cross join lateral count_usage(tenant_no, subnet_no, first, last)
union all
select wanted.no, pool.no, fence, host(network(prefix))::inet, host(broadcast(prefix))::inet, total, excluded, reserved,
  assigned, taken, leased, open
from pool join wanted on pool.subnet_no = wanted.no
cross join lateral count_delegations(wanted.tenant_no, wanted.no, prefix, delegated_length)
where prefix is not null;

-- name: set_cursor!
-- From this snapshot the next refresh goes on; it is taken in the transaction that has counted.
insert into usage_cursor (seen, as_of) values (pg_current_snapshot(), now())
on conflict (only_row) do update set seen = excluded.seen, as_of = excluded.as_of;

-- name: subnet_usage^
-- Stored figures are right while the subnet's fence is the one that they were counted under; else the plan is counted
-- now, and only the leases come from the table.
select counted.total, counted.excluded, counted.reserved, counted.assigned, counted.taken,
       coalesce(usage.leased, 0) as leased, coalesce(usage.open, 0) as open, usage_cursor.as_of,
       parts.gateway, parts.doubled
from subnet
left join usage on usage.subnet_no = subnet.no and usage.pool_no = 0
left join usage_cursor on true
cross join lateral usable_range(subnet.cidr) as ends
left join lateral count_range(
  case when usage.fence is distinct from subnet.fence or is_touched_since(subnet.no, usage.counted_at) then subnet.no end,
  ends.first, ends.last) as live on true
cross join lateral count_parts(subnet.no, ends.first, ends.last) as parts
cross join lateral (
  select coalesce(live.total, usage.total) as total, coalesce(live.excluded, usage.excluded) as excluded,
         coalesce(live.reserved, usage.reserved) as reserved, coalesce(live.assigned, usage.assigned) as assigned,
         coalesce(live.taken, usage.taken) as taken) as counted
where subnet.id = :id::uuid and (:tenant_no::integer is null or subnet.tenant_no = :tenant_no::integer);

-- name: pool_usage^
-- As subnet_usage, between the ends of the pool; of one that delegates in prefixes.
select counted.total, counted.excluded, counted.reserved, counted.assigned, counted.taken,
       coalesce(usage.leased, 0) as leased, coalesce(usage.open, 0) as open, usage_cursor.as_of,
       parts.gateway, parts.doubled
from pool
join subnet on subnet.no = pool.subnet_no
left join usage on usage.subnet_no = pool.subnet_no and usage.pool_no = pool.no
left join usage_cursor on true
left join lateral (
  select * from count_range(subnet.no, pool.start_ip, pool.end_ip) where pool.prefix is null
  union all
  select * from count_delegation_range(subnet.no, pool.prefix, pool.delegated_length) where pool.prefix is not null
) as live on usage.fence is distinct from subnet.fence or is_touched_since(subnet.no, usage.counted_at)
cross join lateral count_parts(subnet.no, pool.start_ip, pool.end_ip) as parts
cross join lateral (
  select coalesce(live.total, usage.total) as total, coalesce(live.excluded, usage.excluded) as excluded,
         coalesce(live.reserved, usage.reserved) as reserved, coalesce(live.assigned, usage.assigned) as assigned,
         coalesce(live.taken, usage.taken) as taken) as counted
where pool.id = :id::uuid and (:tenant_no::integer is null or subnet.tenant_no = :tenant_no::integer);

-- name: prefix_usage^
-- The sum of its subnets; a subnet that is not counted yet, or not since its plan changed, is counted now.
select range_size(host(network(prefix.cidr))::inet, host(broadcast(prefix.cidr))::inet) as total, sums.*,
       usage_cursor.as_of
from prefix left join usage_cursor on true
cross join lateral (
  select count(*) as subnets,
         coalesce(sum(range_size(host(network(subnet.cidr))::inet, host(broadcast(subnet.cidr))::inet)), 0) as allocated,
         coalesce(sum(coalesce(live.excluded, usage.excluded)), 0) as excluded,
         coalesce(sum(coalesce(live.reserved, usage.reserved)), 0) as reserved,
         coalesce(sum(coalesce(live.assigned, usage.assigned)), 0) as assigned,
         coalesce(sum(coalesce(live.total, usage.total)), 0) as usable,
         coalesce(sum(coalesce(live.taken, usage.taken)), 0) as taken,
         coalesce(sum(parts.gateway), 0) as gateway, coalesce(sum(parts.doubled), 0) as doubled,
         coalesce(sum(usage.leased), 0) as leased,
         coalesce(sum(greatest(0, coalesce(live.total - live.taken, usage.total - usage.taken) - coalesce(usage.open, 0))), 0)
           as free
  from subnet
  left join usage on usage.subnet_no = subnet.no and usage.pool_no = 0
  cross join lateral usable_range(subnet.cidr) as ends
  left join lateral count_range(
    case when usage.fence is distinct from subnet.fence or is_touched_since(subnet.no, usage.counted_at) then subnet.no end,
    ends.first, ends.last) as live on true
  cross join lateral count_parts(subnet.no, ends.first, ends.last) as parts
  where subnet.prefix_no = prefix.no) as sums
where prefix.id = :id::uuid and (:tenant_no::integer is null or prefix.tenant_no = :tenant_no::integer);
