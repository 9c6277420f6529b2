-- name: find_subnet^
-- Read without its fence: who only looks for space keeps nobody waiting.
select no, id, tenant_no, (select id from tenant where no = tenant_no) as tenant_id, cidr, gateway, free_from,
  decline_quarantine_seconds
from subnet
where id = :id::uuid and (:tenant_no::integer is null or tenant_no = :tenant_no::integer);

-- name: find_prefix^
-- Read without a lock: who only looks for space keeps nobody waiting.
select no, id, tenant_no, cidr from prefix
where id = :id::uuid and (:tenant_no::integer is null or tenant_no = :tenant_no::integer);

-- name: subnet_ranges
-- What stands in a subnet as ranges, pools last: what is inside a pool and something else is that.
select 'exclude' as type, id, start_ip, end_ip from exclude where subnet_no = :no::integer
union all
select 'pool', id, start_ip, end_ip from pool where subnet_no = :no::integer and start_ip is not null;

-- name: count_hosts$
-- Whether they can be shown one by one is known before they are read.
select count(*) from (
  (select from reservation where subnet_no = :no::integer and ip is not null limit :at_most::integer)
  union all
  (select from assignment where subnet_no = :no::integer limit :at_most::integer)
  union all
  (select from lease
   where tenant_no = :tenant_no::integer and address between :first::inet and :last::inet
     and state in ('a', 'd') and reuse_at > now() limit :at_most::integer)
) as host;

-- name: subnet_hosts
-- What stands in a subnet on single addresses, as many as a map may show one by one.
select type, id, ip from (
  (select 'reservation' as type, id, ip::inet as ip from reservation
   where subnet_no = :no::integer and ip is not null limit :at_most::integer)
  union all
  (select 'assignment', id, ip from assignment where subnet_no = :no::integer limit :at_most::integer)
  union all
  (select case when state = 'a' then 'lease' else 'quarantine' end, null, address from lease
   where tenant_no = :tenant_no::integer and address between :first::inet and :last::inet
     and state in ('a', 'd') and reuse_at > now() limit :at_most::integer)
) as host
limit :at_most::integer;

-- name: subnet_buckets
-- The same, counted by the blocks in which they lie; an address that is reserved and leased is reserved. Blocks are counted
-- from the middle of the subnet, because the addresses before and behind it are as many as a bigint holds, up to a /64; of a
-- larger subnet they are told as networks, which takes three times as long.
select case when :shift::integer <= 52 then (address - :middle::inet) >> :shift::integer end as from_middle,
       case when :shift::integer > 52 then network(set_masklen(address, :length::integer)) end as block,
       count(*) filter (where type = 'r') as reserved, count(*) filter (where type = 'a') as assigned,
       count(*) filter (where type = 'l') as leased
from (
  select 'r' as type, ip::inet as address from reservation where subnet_no = :no::integer and ip is not null
  union all
  select 'a', ip from assignment
  where subnet_no = :no::integer and not exists (
    select from exclude where exclude.subnet_no = :no::integer and assignment.ip between start_ip and end_ip)
  union all
  select 'l', address from lease
  where tenant_no = :tenant_no::integer and address between :first::inet and :last::inet
    and state in ('a', 'd') and reuse_at > now()
    and not exists (select from reservation where subnet_no = :no::integer and ip = lease.address)
) as host
group by 1, 2;

-- name: prefix_subnets
-- By address, so that the gaps between them are the free space; a map has a limit.
select id, cidr, name from subnet where prefix_no = :no::integer order by cidr limit :at_most::integer;

-- name: prefix_buckets
-- Subnets by the blocks in which they lie: those wider than a block one by one, the others summed.
select case when masklen(cidr) < :length::integer then cidr else network(set_masklen(cidr::inet, :length::integer)) end
         as bucket, count(*) as subnets, sum(range_size(host(network(cidr))::inet, host(broadcast(cidr))::inet)) as addresses
from subnet where prefix_no = :no::integer
group by 1 order by 1;
