-- name: next_free_address$
-- The first gap between the taken ranges, clipped to the usable addresses. `reach` is how far everything up to a
-- row extends; the next free address follows the first reach that the next range does not continue.
with taken as (
  select start_ip as s, end_ip as e from exclude where subnet_no = :subnet_no::integer
  union all
  select ip, ip from reservation where subnet_no = :subnet_no::integer and ip is not null
  union all
  select ip, ip from assignment where subnet_no = :subnet_no::integer
  union all
  -- Leased, or in quarantine: nobody else may have it before then.
  select address, address from lease
  where tenant_no = :tenant_no::integer and address between :first::inet and :last::inet and reuse_at > now()
  union all
  select start_ip, end_ip from pool where subnet_no = :subnet_no::integer and :outside_pools::boolean
  union all
  select :gateway::inet, :gateway::inet where :gateway::inet is not null
), clipped as (
  select greatest(s, :first::inet) as s, least(e, :last::inet) as e
  from taken where e >= :first::inet and s <= :last::inet
), runs as (
  select s, max(e) over (order by s, e) as reach, lead(s) over (order by s, e) as next_s from clipped
)
select case
  when not exists (select from clipped where s = :first::inet) then :first::inet
  else (
    select reach + 1 from runs
    where reach < :last::inet and (next_s is null or next_s > reach + 1)
    order by s limit 1
  )
end;
