-- The lowest address from `wanted_first` to `wanted_last` that is free. The range is read in windows that grow, each by the
-- key of every table, so the work is proportional to the addresses taken before the answer, and memory to a window. An
-- address in use is not free, and becomes free as that of a lease does. `held`: the lowest address passed that only a lease
-- holds.
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
      union all
      select address from address_in_use where tenant_no = wanted_tenant and address between low and upto
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

-- The next free address outside the pools, from the subnet's mark on; the mark follows where that spares much. The
-- caller holds the subnet.
create or replace function take_vacancy(
  wanted_tenant integer, wanted_subnet integer, wanted_first inet, wanted_last inet, wanted_gateway inet)
returns inet language plpgsql as $$
declare
  mark inet;
  found record;
begin
  select greatest(wanted_first, least(coalesce(free_from, wanted_first), wanted_last)) into mark from subnet where no = wanted_subnet;
  found := find_vacancy(wanted_tenant, wanted_subnet, mark, wanted_last, wanted_gateway, true);
  found.held := least(found.held, found.free, wanted_last);
  if found.held > mark and (found.free is null or address_number(found.held) - address_number(mark) >= 32) then
    update subnet set free_from = found.held where no = wanted_subnet;
  end if;
  return found.free;
end
$$;

create or replace function give_back_hosts() returns trigger language plpgsql as $$
begin
  update subnet set free_from = back.address
  from (select subnet_no, min(ip::inet) as address from gone where ip is not null group by subnet_no) as back
  where subnet.no = back.subnet_no and subnet.free_from > back.address;
  return null;
end
$$;
create or replace trigger reservation_deleted after delete on reservation referencing old table as gone
  for each statement execute function give_back_hosts();
create or replace trigger reservation_moved after update on reservation referencing old table as gone
  for each statement execute function give_back_hosts();
create or replace trigger assignment_deleted after delete on assignment referencing old table as gone
  for each statement execute function give_back_hosts();
create or replace trigger assignment_moved after update on assignment referencing old table as gone
  for each statement execute function give_back_hosts();

create or replace function give_back_ranges() returns trigger language plpgsql as $$
begin
  update subnet set free_from = back.address
  from (select subnet_no, min(start_ip::inet) as address from gone group by subnet_no) as back
  where subnet.no = back.subnet_no and subnet.free_from > back.address;
  return null;
end
$$;
create or replace trigger exclude_deleted after delete on exclude referencing old table as gone
  for each statement execute function give_back_ranges();
create or replace trigger exclude_moved after update on exclude referencing old table as gone
  for each statement execute function give_back_ranges();
create or replace trigger pool_deleted after delete on pool referencing old table as gone
  for each statement execute function give_back_ranges();
create or replace trigger pool_moved after update on pool referencing old table as gone
  for each statement execute function give_back_ranges();

create or replace function forget_vacancy() returns trigger language plpgsql as $$
begin
  new.free_from := null;
  return new;
end
$$;
create or replace trigger subnet_reshaped before update on subnet for each row
  when (new.cidr is distinct from old.cidr or new.gateway is distinct from old.gateway)
  execute function forget_vacancy();
