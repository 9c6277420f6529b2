-- name: counts^
-- All figures of the overview in one statement, so that they are of one moment.
with mine as (
  select no from subnet where :tenant_no::integer is null or tenant_no = :tenant_no::integer
)
select
  (select count(*) from tenant where :tenant_no::integer is null or no = :tenant_no::integer) as tenants,
  (select count(*) from prefix where :tenant_no::integer is null or tenant_no = :tenant_no::integer) as prefixes,
  (select count(*) from mine) as subnets,
  (select count(*) from pool where subnet_no in (select no from mine)) as pools,
  (select count(*) from reservation where subnet_no in (select no from mine)
     and num_nonnulls(ip, prefix) > 0) as reservations,
  (select count(*) from assignment where subnet_no in (select no from mine)) as assignments,
  (select count(*) from dns_zone where :tenant_no::integer is null or tenant_no = :tenant_no::integer) as dns_zones,
  (select coalesce(sum(leased), 0)::bigint from usage
   where pool_no = 0 and subnet_no in (select no from mine)) as active_leases;

-- name: fullest_pools
-- Figures of the last count, because counting leases on demand would read every pool. The fullest come first.
select pool.id as pool_id, pool.name, subnet.id as subnet_id, subnet.cidr, pool.start_ip, pool.end_ip, pool.prefix,
       round(usage.share::numeric, 4)::float8 as utilisation
from usage
join pool on pool.no = usage.pool_no
join subnet on subnet.no = pool.subnet_no
where usage.share > 0
  and (:tenant_no::integer is null or subnet.tenant_no = :tenant_no::integer)
order by usage.share desc, pool.no
limit :at_most::integer;

-- name: counted_at$
-- The overview says how old its figures of use are.
select as_of from usage_cursor;

-- name: recent
-- The latest of the tenant among the latest of all: looking further back would cost more than it tells. Tokens
-- and failed logins are none of a viewer's business.
select at, object_type, object_id, action from change
where no > (select coalesce(max(no), 0) - 10000 from change) and object_type not in ('token', 'failed_login')
  and (:tenant_no::integer is null or tenant_no = :tenant_no::integer)
order by no desc
limit :at_most::integer;

-- name: traffic
-- Of all DHCP servers that live, by family. Quantiles do not add up: the slowest server's are shown.
select case role when 'dhcp' then 'dhcp4' else role end as family, count(*)::integer as servers,
  round(sum(packets_per_second)::numeric, 1)::float8 as packets_per_second,
  round(sum(acks_per_second)::numeric, 1)::float8 as acks_per_second,
  max(commit_p50_ms)::float8 as commit_p50_ms, max(commit_p99_ms)::float8 as commit_p99_ms
from node
where role in ('dhcp', 'dhcp6') and state <> 'stopped' and heartbeat_at >= now() - interval '30 s'
group by role order by role;

-- name: waiting_ddns^
-- Of the updates that are due first, which are the oldest but for retries; no more than so many are looked at.
select count(*) as waiting, min(created_at) as oldest from (
  select tenant_no, created_at from ddns_update where state in ('pending', 'retrying')
  order by next_attempt_at limit :at_most::integer) as due
where :tenant_no::integer is null or tenant_no = :tenant_no::integer;

-- name: waiting_deliveries^
-- As waiting_ddns, of events that are to be told or told again.
select count(*) as waiting, min(due.created_at) as oldest from (
  select webhook_no, notification_no, created_at from webhook_delivery where state in ('pending', 'failed')
  order by next_attempt_at limit :at_most::integer) as due
where :tenant_no::integer is null
  or exists (select from webhook where no = due.webhook_no and tenant_no = :tenant_no::integer)
  or exists (select from notification where no = due.notification_no and tenant_no = :tenant_no::integer);

-- name: problems
-- The latest of the tenant among the latest of all, as `recent`; with what event_items reads of a row.
select event.xid::text::bigint as xid, event.no as key, event.at as happened, event.tenant_no as scope_no, event.type,
  tenant.id as tenant_id, event.data
from event left join tenant on tenant.no = event.tenant_no
where event.no > (select coalesce(max(no), 0) - 10000 from event) and event.type = any(:types::text[])
  and (:tenant_no::integer is null or event.tenant_no = :tenant_no::integer)
order by event.no desc
limit :at_most::integer;
