-- depends: 0017.reserve

-- The end of a transaction of one write has statements of its own, which take single values: they cost PostgreSQL 17 to 37
-- percent less than arrays of one. A bulk goes by arrays as before.

-- One row an object; the notifications name the subnets that servers must reload, or nothing for all of them.
create function record_changes(
  tenants integer[], subnets integer[], types text[], ids text[], actions text[], befores jsonb[], afters jsonb[],
  by_token uuid, by_name text, from_address inet, by_request text)
returns void language plpgsql volatile as $$
begin
  if cardinality(ids) = 1 then
    insert into change (tenant_no, subnet_no, object_type, object_id, action, before, after,
                        token_id, token_name, remote_address, request_id)
    values (tenants[1], subnets[1], types[1], ids[1], actions[1], befores[1], afters[1],
            by_token, by_name, from_address, by_request);
    perform pg_notify('ipam_change', coalesce(subnets[1]::text, ''));
  else
    insert into change (tenant_no, subnet_no, object_type, object_id, action, before, after,
                        token_id, token_name, remote_address, request_id)
    select tenant_no, subnet_no, object_type, object_id, action, before, after, by_token, by_name, from_address, by_request
    from unnest(tenants, subnets, types, ids, actions, befores, afters)
      with ordinality as written (tenant_no, subnet_no, object_type, object_id, action, before, after, place)
    order by place;
    perform pg_notify('ipam_change', coalesce(subnet_no::text, ''))
    from (select distinct subnet_no from unnest(subnets) as subnet_no) as told;
  end if;
end
$$;

-- The first of new reservations whose address something else in the subnet holds. One that a later operation has deleted
-- or moved is not looked at.
create function first_in_the_way(subnets integer[], addresses inet[])
returns table (place bigint, type text, id uuid, ip inet, start_ip inet, end_ip inet, hostname text)
language plpgsql stable as $$
#variable_conflict use_column
begin
  if cardinality(addresses) > 0 then
    return query
    select given.place, holder.* from unnest(subnets, addresses) with ordinality as given (subnet_no, ip, place)
    join reservation on reservation.subnet_no = given.subnet_no and reservation.ip = given.ip
    cross join lateral in_the_way_of(given.subnet_no, given.ip) as holder
    order by given.place limit 1;
  end if;
end
$$;

-- The lease row of an address that a machine is given; false: a client holds it. See settle_addresses.
create function claim_address(wanted_tenant integer, wanted_subnet integer, wanted_ip inet)
returns boolean language plpgsql volatile as $$
begin
  insert into lease as l (
    tenant_no, address, prefix_length, subnet_no, state, granted_at, renewed_at, expires_at, reuse_at, version,
    client_key, claimed)
  values (wanted_tenant, wanted_ip, masklen(wanted_ip), wanted_subnet, 'r', now(), now(), now(), now(),
    nextval('lease_version'), '\x00'::bytea || substring(inet_send(wanted_ip) from 5), true)
  on conflict on constraint lease_pkey do update set claimed = true where l.reuse_at <= clock_timestamp();
  if found then
    insert into address_claim (tenant_no, address) values (wanted_tenant, wanted_ip);
    return true;
  end if;
  return false;
end
$$;

-- The last locks of a transaction that gives addresses to machines. `lost`: the positions of those that a client holds;
-- all others are this transaction's, whatever grant of them is on its way: each lease row is marked in the order of the
-- keys, as the DHCP servers lock them, and a grant that waited for it reads the subnet's fence again. Only what
-- `granted_from` names needs that. `excess`: how many reservations and assignments are above the cap; 0 without one (null).
create or replace function settle_addresses(
  tenants integer[], subnets integer[], addresses inet[], cap bigint, out lost integer[], out excess bigint)
language plpgsql volatile as $$
begin
  if cardinality(addresses) = 1 then
    if exists (select from granted_from(subnets[1], addresses[1]))
        and not claim_address(tenants[1], subnets[1], addresses[1]) then
      lost := array[1];
    end if;
  elsif cardinality(addresses) > 1 then
    select array_agg(place::integer) filter (where not claim_address(tenant_no, subnet_no, ip)) into lost
    from (
      select wanted.* from unnest(tenants, subnets, addresses) with ordinality as wanted (tenant_no, subnet_no, ip, place)
      cross join lateral granted_from(wanted.subnet_no, wanted.ip)
      order by tenant_no, ip
    ) as exposed;
  end if;
  excess := case when cap is null then 0 else greatest(count_managed() - cap, 0) end;
end
$$;

-- The end of a transaction that gives addresses to machines, in one round trip: its change rows, what is in the way of its
-- new reservations (nothing more is done then, for whoever is refused rolls back), and the last locks.
create function settle_writes(
  tenants integer[], subnets integer[], types text[], ids text[], actions text[], befores jsonb[], afters jsonb[],
  by_token uuid, by_name text, from_address inet, by_request text, reserved_in integer[], reserved inet[],
  given_by integer[], given_in integer[], given inet[], cap bigint,
  out lost integer[], out excess bigint, out place bigint, out type text, out id uuid, out ip inet, out start_ip inet,
  out end_ip inet, out hostname text)
language plpgsql volatile as $$
begin
  select * into place, type, id, ip, start_ip, end_ip, hostname from first_in_the_way(reserved_in, reserved);
  if place is null then
    perform record_changes(
      tenants, subnets, types, ids, actions, befores, afters, by_token, by_name, from_address, by_request);
    select * into lost, excess from settle_addresses(given_by, given_in, given, cap);
  end if;
end
$$;
