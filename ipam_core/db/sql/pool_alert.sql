-- name: raise_alerts
-- Of the pools told, those for which nobody has said so yet, with what their event tells.
with raised as (
  insert into pool_alert (pool_no, type)
  select pool.no, :type::text from pool where pool.no = any(:numbers::integer[]) order by pool.no
  on conflict do nothing
  returning pool_no
)
select pool.no, subnet.tenant_no, pool.id as pool_id, pool.name, pool.start_ip, pool.end_ip, pool.prefix, subnet.id as subnet_id,
  subnet.cidr
from raised
join pool on pool.no = raised.pool_no
join subnet on subnet.no = pool.subnet_no
order by pool.no;

-- name: raise_storms
-- Of the pools in which an address was declined, those of which nobody has said so for an hour.
with declined as (
  select distinct on (pool.no) pool.no, seen.ip
  from unnest(:subnets::integer[], :addresses::inet[]) as seen (subnet_no, ip)
  join pool on pool.subnet_no = seen.subnet_no and seen.ip between pool.start_ip and pool.end_ip
  order by pool.no
), raised as (
  insert into pool_alert (pool_no, type) select no, 'pool.decline_storm' from declined order by no
  on conflict (pool_no, type) do update set since = now() where pool_alert.since <= now() - interval '1 hour'
  returning pool_no
)
select pool.no, subnet.tenant_no, pool.id as pool_id, pool.name, pool.start_ip, pool.end_ip, pool.prefix, subnet.id as subnet_id,
  subnet.cidr, declined.ip
from raised
join declined on declined.no = raised.pool_no
join pool on pool.no = raised.pool_no
join subnet on subnet.no = pool.subnet_no
order by pool.no;

-- name: read_alerts(family)
-- Of the family's pools, and of those that are gone; a storm of declines ends by time alone.
select pool_alert.pool_no, pool_alert.type from pool_alert left join pool on pool.no = pool_alert.pool_no
where pool.no is null
  or family(coalesce(pool.start_ip, pool.prefix)) = :family and pool_alert.type <> 'pool.decline_storm';

-- name: clear_alerts!
-- A pool that has room again may be told of again.
delete from pool_alert
where pool_no = any(:numbers::integer[])
  and (type <> 'pool.decline_storm' or not exists (select from pool where pool.no = pool_alert.pool_no));
