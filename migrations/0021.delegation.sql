-- depends: 0020.associations

-- Pools of prefixes that are delegated whole to clients (RFC 8415 section 6.3): `prefix` cut into prefixes of
-- `delegated_length`. Each client may be told to leave one longer prefix of its own to the link (RFC 6603):
-- `excluded_prefix` names it within the first delegated one, and lies alike in all others. Such a pool has no range.
alter table pool
  add column prefix cidr,
  add column delegated_length smallint,
  add column excluded_prefix cidr,
  alter column start_ip drop not null,
  alter column end_ip drop not null,
  add constraint pool_of_something check (
    case when prefix is null then num_nonnulls(start_ip, end_ip) = 2 and num_nonnulls(delegated_length, excluded_prefix) = 0
    else num_nulls(start_ip, end_ip) = 2 and family(prefix) = 6 and delegated_length between masklen(prefix) and 128
      and delegated_length is not null end),
  drop constraint pool_overlap,
  add constraint pool_overlap exclude using gist (
    int8range(subnet_no, subnet_no, '[]') with &&, inetrange(start_ip, end_ip, '[]') with &&) where (start_ip is not null),
  add constraint pool_prefix_overlap exclude using gist (
    int8range(subnet_no, subnet_no, '[]') with &&, prefix inet_ops with &&) where (prefix is not null),
  add constraint pool_excluded_within check (
    excluded_prefix is null or excluded_prefix << set_masklen(prefix, delegated_length)
    and masklen(excluded_prefix) > delegated_length);

-- An address registers itself only where its subnet says so (RFC 9686): option 148 is sent there.
alter table subnet add column address_registration boolean not null default false;

-- As in 0008; a pool of prefixes is no range, and takes no address.
create or replace function find_vacancy(
  wanted_tenant integer, wanted_subnet integer, wanted_first inet, wanted_last inet, wanted_gateway inet,
  outside_pools boolean, out free inet, out held inet)
language plpgsql stable as $$
declare
  low inet := wanted_first;
  upto inet;
  size integer := 64;
  reached inet;
  leased inet;
begin
  loop
    upto := case when address_number(wanted_last) - address_number(low) < size then wanted_last else low + size - 1 end;
    with plan as (
      select start_ip::inet as s, end_ip::inet as e from exclude
      where int8range(subnet_no, subnet_no, '[]') && int8range(wanted_subnet, wanted_subnet, '[]')
        and inetrange(start_ip, end_ip, '[]') && inetrange(low, upto, '[]')
      union all
      select ip, ip from reservation where subnet_no = wanted_subnet and ip between low and upto
      union all
      select ip, ip from assignment where subnet_no = wanted_subnet and ip between low and upto
      union all
      select start_ip, end_ip from pool
      where outside_pools and start_ip is not null
        and int8range(subnet_no, subnet_no, '[]') && int8range(wanted_subnet, wanted_subnet, '[]')
        and inetrange(start_ip, end_ip, '[]') && inetrange(low, upto, '[]')
      union all
      select wanted_gateway, wanted_gateway where wanted_gateway between low and upto
    ), leases as (
      select address from lease
      where tenant_no = wanted_tenant and address between low and upto and reuse_at > now()
    ), taken as (
      select greatest(s, low) as s, e from plan union all select address, address from leases
    ), runs as (
      select s, max(e) over (order by s, e) as reach, lead(s) over (order by s, e) as next_s from taken
    )
    select case
        when not exists (select from taken where s = low) then low
        else (select reach + 1 from runs where reach < upto and (next_s is null or next_s > reach + 1)
              order by s limit 1)
      end,
      (select max(reach) from runs),
      (select min(address) from leases
       where not exists (select from plan where address between s and e))
    into free, reached, leased;
    if leased is not null and (free is null or leased < free) then
      held := coalesce(held, leased);
    end if;
    reached := greatest(reached, upto);
    exit when free is not null or reached >= wanted_last;
    low := reached + 1;
    size := least(size * 4, 16384);
  end loop;
end
$$;
