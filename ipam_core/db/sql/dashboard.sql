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

-- name: pools_near_full
-- Figures of the last count, because counting leases on demand would read every pool. The fullest come first.
select pool.id as pool_id, pool.name, subnet.id as subnet_id, pool.start_ip, pool.end_ip,
       round(usage.share::numeric, 4)::float8 as utilisation
from usage
join pool on pool.no = usage.pool_no
join subnet on subnet.no = pool.subnet_no
where usage.share >= :share::float8
  and (:tenant_no::integer is null or subnet.tenant_no = :tenant_no::integer)
order by usage.share desc, pool.no
limit :at_most::integer;

-- name: counted_at$
-- The overview says how old its figures of use are.
select as_of from usage_cursor;

-- name: recent
-- The latest of the tenant among the latest of all: looking further back would cost more than it tells. Tokens
-- are none of a viewer's business.
select at, object_type, object_id, action from change
where no > (select coalesce(max(no), 0) - 10000 from change) and object_type <> 'token'
  and (:tenant_no::integer is null or tenant_no = :tenant_no::integer)
order by no desc
limit :at_most::integer;
