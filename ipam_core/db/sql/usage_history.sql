-- name: take_sample^
-- What has changed since the last sample, under the moment of the five minutes that run; nothing where another process has
-- taken this one, or is at it. `sampled_at` is null then.
with turn as (
  update usage_history_state set sampled_at = date_bin(:every::interval, now(), '2000-01-01 00:00Z')
  where only_row = (
    select only_row from usage_history_state
    where sampled_at is distinct from date_bin(:every::interval, now(), '2000-01-01 00:00Z') for update skip locked)
  returning sampled_at
), made as (
  insert into usage_history (at, subnet_no, pool_no, leased, total, used, peak)
  select turn.sampled_at, fresh.subnet_no, fresh.pool_no, fresh.leased, fresh.total, fresh.taken + fresh.open,
    fresh.taken + fresh.open
  from turn cross join usage as fresh
  left join lateral (
    select leased, total, used from usage_history
    where subnet_no = fresh.subnet_no and pool_no = fresh.pool_no order by at desc limit 1) as last on true
  where (last.leased, last.total, last.used) is distinct from (fresh.leased, fresh.total, fresh.taken + fresh.open)
  on conflict on constraint usage_history_pkey do nothing
  returning 1
)
select (select sampled_at from turn) as sampled_at, (select count(*) from made) as made;

-- name: try_thinning$
-- One process at a time; the lock ends with the transaction.
select pg_try_advisory_xact_lock(hashtext('ipam usage history'));

-- name: next_moment^
-- The next moment, in the order of time, whose rows are old enough to be thinned out to one a period, and where its period
-- begins.
select at, date_bin(:period::interval, at, '2000-01-01 00:00Z') as begins from (
  select min(at) as at from usage_history
  where at > coalesce((select upto from usage_history_mark where period = :mark::interval), '-infinity')
    and at < now() - :age::interval) as next
where at is not null;

-- name: thin!
-- Of each object that has a row at this moment the earlier ones of the period go; the row takes over their peak.
with gone as (
  delete from usage_history as earlier
  using (select subnet_no, pool_no from usage_history where at = :moment::timestamptz) as kept
  where earlier.subnet_no = kept.subnet_no and earlier.pool_no = kept.pool_no
    and earlier.at >= :begins::timestamptz and earlier.at < :moment::timestamptz
  returning earlier.subnet_no, earlier.pool_no, earlier.peak
), highest as (
  select subnet_no, pool_no, max(peak) as peak from gone group by subnet_no, pool_no
)
update usage_history as kept set peak = highest.peak from highest
where kept.at = :moment::timestamptz and kept.subnet_no = highest.subnet_no and kept.pool_no = highest.pool_no
  and kept.peak < highest.peak;

-- name: forget_before!
-- Of each object that has a row at this moment the earlier ones go: this is the one that tells how it was before the
-- oldest that is kept.
delete from usage_history as earlier
using (select subnet_no, pool_no from usage_history where at = :moment::timestamptz) as kept
where earlier.subnet_no = kept.subnet_no and earlier.pool_no = kept.pool_no and earlier.at < :moment::timestamptz;

-- name: set_mark!
-- Where the next round goes on.
insert into usage_history_mark (period, upto) values (:period::interval, :moment::timestamptz)
on conflict (period) do update set upto = excluded.upto;

-- name: forget_objects$
-- Rows of subnets and pools that are gone, some at a time. From one object to the next by the key, whatever the number of
-- rows; says how many went.
with recursive object as (
  (select subnet_no, pool_no from usage_history order by subnet_no, pool_no limit 1)
  union all
  select next.subnet_no, next.pool_no from object cross join lateral (
    select subnet_no, pool_no from usage_history
    where (subnet_no, pool_no) > (object.subnet_no, object.pool_no) order by subnet_no, pool_no limit 1) as next
), stray as (
  select subnet_no, pool_no from object
  where not exists (select from subnet where no = object.subnet_no)
    or (pool_no <> 0 and not exists (select from pool where no = object.pool_no))
), few as (
  select history.subnet_no, history.pool_no, history.at from stray join usage_history as history using (subnet_no, pool_no)
  limit :at_most::integer
), gone as (
  delete from usage_history using few where usage_history.subnet_no = few.subnet_no
    and usage_history.pool_no = few.pool_no and usage_history.at = few.at
  returning 1
)
select count(*) from gone;

-- name: find_subnet^
-- The key of its rows, if the token may see it.
select no as subnet_no, 0 as pool_no from subnet
where id = :id::uuid and (:tenant_no::integer is null or tenant_no = :tenant_no::integer);

-- name: find_pool^
-- As find_subnet.
select pool.subnet_no, pool.no as pool_no from pool join subnet on subnet.no = pool.subnet_no
where pool.id = :id::uuid and (:tenant_no::integer is null or subnet.tenant_no = :tenant_no::integer);

-- name: sampled_at$
-- Nothing is known of what came after it.
select sampled_at from usage_history_state;

-- name: before^
-- How it was when the first period began: figures hold until the next row.
select at, leased, total, used, used as peak from usage_history
where subnet_no = :subnet_no::integer and pool_no = :pool_no::integer and at < :since::timestamptz
order by at desc limit 1;

-- name: by_period(subnet_no, pool_no, step, since, until)
-- The last row of each period that has one, when its first one was, and the highest peak.
select date_bin(:step::interval, at, '2000-01-01 00:00Z') as begins, min(at) as at, max(peak) as peak,
  (array_agg(leased order by at desc))[1] as leased, (array_agg(total order by at desc))[1] as total,
  (array_agg(used order by at desc))[1] as used
from usage_history
where subnet_no = :subnet_no::integer and pool_no = :pool_no::integer
  and at >= :since::timestamptz and at < :until::timestamptz
group by begins order by begins;
