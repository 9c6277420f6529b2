-- depends: 0003.operations

-- Figures about the plan: how full ranges are, lists in key order at millions of rows, and reservations made in one
-- round trip.

-- Lists below one subnet or prefix, page by page in the order of creation.
create index reservation_in_order on reservation (subnet_no, no);
create index assignment_in_order on assignment (subnet_no, no);
create index subnet_in_order on subnet (prefix_no, no);
drop index subnet_by_prefix;
create index subnet_by_name on subnet (lower(name) text_pattern_ops);
create index assignment_by_ip on assignment (ip);
create index reservation_by_duid on reservation (duid) where duid is not null;
create index reservation_by_client_id on reservation (client_id) where client_id is not null;
create index reservation_by_circuit_id on reservation (circuit_id) where circuit_id is not null;
create index lease_by_duid on lease (duid) where duid is not null;

-- Eight octets as an unsigned number.
create function octets_number(octets bytea) returns numeric language sql immutable strict parallel safe as $$
  select signed::numeric + case when signed < 0 then 18446744073709551616 else 0 end
  from (select ('x' || encode(octets, 'hex'))::bit(64)::bigint as signed) as n
$$;

-- An address as a number: PostgreSQL's own difference of two addresses ends at 63 bits.
create function address_number(address inet) returns numeric language sql immutable strict parallel safe as $$
  select case family(address)
    when 4 then (host(address)::inet - '0.0.0.0'::inet)::numeric
    else octets_number(substr(inet_send(address), 5, 8)) * 18446744073709551616
      + octets_number(substr(inet_send(address), 13, 8))
  end
$$;

-- How many addresses a range holds, both ends included.
create function range_size(first inet, last inet) returns numeric language sql immutable strict parallel safe as $$
  select address_number(last) - address_number(first) + 1
$$;

-- The addresses that hosts may bear: without network and broadcast address (IPv4, up to /30).
create function usable_range(network cidr, out first inet, out last inet) language sql immutable strict parallel safe
as $$
  select case when edges then low + 1 else low end, case when edges then high - 1 else high end
  from (select host(network(network))::inet as low, host(broadcast(network))::inet as high,
               family(network) = 4 and masklen(network) <= 30 as edges) as ends
$$;

-- What the plan holds of a range inside a subnet. `taken`: addresses that nothing of the plan leaves to others, each
-- counted once (an assignment may lie inside an exclude; a reservation may not). Every count goes by an index.
create function count_range(
  wanted_subnet integer, first inet, last inet,
  out total numeric, out excluded numeric, out reserved bigint, out assigned bigint, out taken numeric)
language sql stable strict as $$
  select total, excluded, reserved, assigned, excluded + reserved + assigned - doubled + gateway from (
    select range_size(first, last) as total,
      (select coalesce(sum(range_size(greatest(start_ip, first), least(end_ip, last))), 0) from exclude
       where subnet_no = wanted_subnet and start_ip <= last and end_ip >= first) as excluded,
      (select count(*) from reservation where subnet_no = wanted_subnet and ip between first and last) as reserved,
      (select count(*) from assignment where subnet_no = wanted_subnet and ip between first and last) as assigned,
      (select count(*) from exclude join assignment using (subnet_no)
       where subnet_no = wanted_subnet and start_ip <= last and end_ip >= first
         and ip between greatest(start_ip, first) and least(end_ip, last)) as doubled,
      (select count(*) from subnet where no = wanted_subnet and gateway between first and last
         and not exists (select from exclude where subnet_no = subnet.no and gateway between start_ip and end_ip)
         and not exists (select from reservation where subnet_no = subnet.no and ip = gateway)
         and not exists (select from assignment where subnet_no = subnet.no and ip = gateway)) as gateway
  ) as counted
$$;

-- usage: what was counted last, a row a subnet (pool_no 0) and a row a pool. Leases change it by what their events
-- say; the plan changes it by a new count, when the fence that it was counted under is no longer the subnet's.
-- `open`: active leases of addresses that are not reserved; `taken` holds the others. It refers to nothing, so that
-- no deletion waits for it.
create table usage (
  subnet_no integer not null,
  pool_no integer not null,
  fence bigint not null,
  first inet not null,
  last inet not null,
  total numeric not null,
  excluded numeric not null,
  reserved bigint not null,
  assigned bigint not null,
  taken numeric not null,
  leased bigint not null,
  open bigint not null,
  share double precision generated always as (((taken + open) / total)::double precision) stored,
  counted_at timestamptz not null default now(),
  constraint usage_pkey primary key (subnet_no, pool_no)
) with (fillfactor = 70);

-- Which transactions the figures contain: all that this snapshot sees.
create table usage_cursor (
  only_row boolean primary key default true check (only_row),
  seen pg_snapshot not null,
  as_of timestamptz not null
);

-- The figures of a range, leases among them, as the refresher stores them.
create function count_usage(
  wanted_tenant integer, wanted_subnet integer, first inet, last inet,
  out total numeric, out excluded numeric, out reserved bigint, out assigned bigint, out taken numeric,
  out leased bigint, out open bigint)
language sql stable strict as $$
  select c.total, c.excluded, c.reserved, c.assigned, c.taken, l.leased, l.open
  from count_range(wanted_subnet, first, last) as c cross join (
    select count(*) as leased, count(*) filter (where r.no is null) as open
    from lease left join reservation r on r.subnet_no = wanted_subnet and r.ip = lease.address
    where lease.tenant_no = wanted_tenant and lease.address between first and last and lease.state = 'a'
      and lease.subnet_no = wanted_subnet) as l
$$;

-- A reservation in one round trip. Each statement in here sees what was committed before it, so the checks come after
-- the wait for the subnet's row, as in the service's own transaction. It knows one answer, yes: whatever is not plainly
-- right raises IP001 and leaves nothing behind, and the service then finds out what to say. `announced`: who calls
-- notifies the servers once it is committed, because commits that notify follow one another.
create function create_reservation(
  wanted_subnet uuid, allowed_tenant integer, new_id uuid, wanted_ip inet, wanted_mac macaddr, wanted_duid bytea,
  wanted_client_id bytea, wanted_circuit_id bytea, wanted_hostname text, wanted_description text, shown jsonb,
  by_token uuid, by_name text, from_address inet, by_request text, announced boolean,
  out made_at timestamptz, out in_subnet integer)
language plpgsql as $$
declare
  place record;
  moment text := to_char(now() at time zone 'UTC', 'YYYY-MM-DD"T"HH24:MI:SS.MS"Z"');
begin
  update subnet set fence = fence + 1
  where id = wanted_subnet and (allowed_tenant is null or tenant_no = allowed_tenant)
    and wanted_ip <<= cidr and wanted_ip is distinct from gateway
    and (family(cidr) = 6 or masklen(cidr) > 30
      or wanted_ip not in (host(network(cidr))::inet, host(broadcast(cidr))::inet))
  returning no, tenant_no into place;
  if not found
    or exists (select from exclude where subnet_no = place.no and wanted_ip between start_ip and end_ip)
    or exists (select from assignment where subnet_no = place.no and ip = wanted_ip)
  then
    raise exception using errcode = 'IP001', message = 'not plainly right';
  end if;
  insert into reservation (id, subnet_no, ip, mac, duid, client_id, circuit_id, hostname, description)
  values (new_id, place.no, wanted_ip, wanted_mac, wanted_duid, wanted_client_id, wanted_circuit_id, wanted_hostname,
          wanted_description);
  insert into change (tenant_no, subnet_no, object_type, object_id, action, after, token_id, token_name,
                      remote_address, request_id)
  values (place.tenant_no, place.no, 'reservation', new_id, 'created',
          shown || jsonb_build_object('created_at', moment, 'updated_at', moment), by_token, by_name,
          from_address, by_request);
  if not announced then
    perform pg_notify('ipam_change', place.no::text);
  end if;
  made_at := now();
  in_subnet := place.no;
end
$$;
