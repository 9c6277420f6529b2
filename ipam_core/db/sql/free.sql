-- name: next_free_outside$
-- Outside the pools; see take_vacancy. The subnet is held.
select take_vacancy(:tenant_no::integer, :subnet_no::integer, :first::inet, :last::inet, :gateway::inet);

-- name: next_free_anywhere$
-- When the space outside the pools is full: an address that pools hold too will do.
select free from find_vacancy(:tenant_no::integer, :subnet_no::integer, :first::inet, :last::inet, :gateway::inet, false);

-- name: free_gaps
-- The first gaps between the taken ranges, as find_vacancy sees them: its answer is the first one's first address.
with taken as (
  select start_ip as s, end_ip as e from exclude where subnet_no = :subnet_no::integer
  union all
  select ip, ip from reservation where subnet_no = :subnet_no::integer and ip >= :first::inet
  union all
  select ip, ip from assignment where subnet_no = :subnet_no::integer and ip >= :first::inet
  union all
  select address, address from lease
  where tenant_no = :tenant_no::integer and address between :first::inet and :last::inet and reuse_at > now()
  union all
  select address, address from address_in_use
  where tenant_no = :tenant_no::integer and address between :first::inet and :last::inet
  union all
  select start_ip, end_ip from pool
  where subnet_no = :subnet_no::integer and start_ip is not null and :outside_pools::boolean
  union all
  select :gateway::inet, :gateway::inet where :gateway::inet is not null
), clipped as (
  select greatest(s, :first::inet) as s, least(e, :last::inet) as e
  from taken where e >= :first::inet and s <= :last::inet
), runs as (
  select s, max(e) over (order by s, e) as reach, lead(s) over (order by s, e) as next_s from clipped
), gaps as (
  select :first::inet as start_ip, (select min(s) - 1 from clipped where s > :first::inet) as end_ip
  where not exists (select from clipped where s = :first::inet)
  union all
  select reach + 1, next_s - 1 from runs
  where reach < :last::inet and (next_s is null or next_s > reach + 1)
)
select start_ip, coalesce(end_ip, :last::inet) as end_ip from gaps order by start_ip limit :at_most::integer;

-- name: next_free_network$
-- The lowest network of a length in a prefix that overlaps none of its subnets. A candidate is the first on its own
-- boundary at the prefix's beginning or after a subnet; subnets do not overlap, so it is free if it ends before the
-- next one begins. The caller holds the prefix.
with edges as (
  select host(network(:cidr::cidr))::inet as beyond, host(broadcast(:cidr::cidr))::inet as last,
         (select min(host(network(cidr))::inet) from subnet where prefix_no = :prefix_no::integer) as next_start
  union all
  select finish + 1, host(broadcast(:cidr::cidr))::inet, next_start from (
    select host(broadcast(cidr))::inet as finish, lead(host(network(cidr))::inet) over (order by cidr) as next_start
    from subnet where prefix_no = :prefix_no::integer) as subnets
  where finish < host(broadcast(:cidr::cidr))::inet
), blocks as (
  select last, next_start, beyond,
         host(network(set_masklen(beyond, :prefix_length::integer)))::inet as start,
         host(broadcast(set_masklen(beyond, :prefix_length::integer)))::inet as finish
  from edges
), candidates as (
  select network(set_masklen(case when start = beyond then beyond when finish < last then finish + 1 end,
                             :prefix_length::integer)) as candidate, last, next_start
  from blocks
)
select candidate from candidates
where candidate <<= :cidr::cidr and (next_start is null or host(broadcast(candidate))::inet < next_start)
order by candidate limit 1;
