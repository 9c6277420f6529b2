-- A transaction of one write has statements of its own, which take single values: they cost PostgreSQL 17 to 37 percent less
-- than arrays of one. Bulk operations use arrays.

-- One row an object; the notifications name the subnets that servers must reload, or nothing for all of them.
create or replace function record_changes(
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

-- A single reservation is made in one round trip, by the same rules as those of a bulk: what is in the way of an address,
-- the claims and the cap stand in one function each, and both ways call them.

-- What else in the subnet holds a reserved address. It takes one address, not many, so that a plan that was made once
-- serves every call of it.
create or replace function in_the_way_of(wanted_subnet integer, wanted_ip inet)
returns table (type text, id uuid, ip inet, start_ip inet, end_ip inet, hostname text)
language sql stable as $$
  select 'exclude', id, null::inet, start_ip, end_ip, null from exclude
  where subnet_no = wanted_subnet and wanted_ip between start_ip and end_ip
  union all
  select 'assignment', id, ip, null, null, hostname from assignment
  where subnet_no = wanted_subnet and ip = wanted_ip
  union all
  select 'gateway', null, gateway, null, null, null from subnet where no = wanted_subnet and gateway = wanted_ip
$$;

-- The first of new reservations whose address something else in the subnet holds. One that a later operation has deleted
-- or moved is not looked at.
create or replace function first_in_the_way(subnets integer[], addresses inet[])
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

-- What is in the way of an assignment's address: a reservation, a client's lease or its quarantine. Writers to one subnet
-- follow one another, so what is not reserved now is not at the COMMIT.
create or replace function holder_of(wanted_tenant integer, wanted_subnet integer, wanted_ip inet)
returns table (type text, id uuid, ip inet, hostname text)
language sql stable as $$
  select 'reservation', id, ip::inet, hostname from reservation where subnet_no = wanted_subnet and ip = wanted_ip
  union all
  select case state when 'a' then 'lease' else 'quarantine' end, null, address, hostname from lease
  where tenant_no = wanted_tenant and address = wanted_ip and state in ('a', 'd') and reuse_at > now()
$$;

-- The subnet if a server may have thought the address its own: one of a pool, or where something was withdrawn lately.
create or replace function granted_from(wanted_subnet integer, wanted_ip inet) returns table (subnet_no integer)
language sql stable as $$
  select no from subnet
  where no = wanted_subnet and (withdrawn_at > now() - interval '10 minutes' or exists (
    select from pool where pool.subnet_no = wanted_subnet and wanted_ip between start_ip and end_ip))
$$;

-- The lease row of an address that a machine is given; false: a client holds it. See settle_addresses.
create or replace function claim_address(wanted_tenant integer, wanted_subnet integer, wanted_ip inet)
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
create or replace function settle_writes(
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

-- A reservation of an address in one transaction of its own. Each statement in here sees what was committed before it, so
-- that nothing is looked at before the wait for the subnet's row is over. It knows one answer, yes: what is not plainly
-- right raises IP001 (or a constraint's error) and leaves nothing behind, and the service goes step by step to find out
-- what to say. `checked_cidr`: the network by which the service has judged what is wanted. Without a wanted address it is
-- the next free one of `first` to `last`. Who calls tells the servers, for commits that notify wait for each other.
create or replace function reserve(
  wanted_subnet uuid, allowed_tenant integer, checked_cidr cidr, first inet, last inet, new_id uuid, wanted_ip inet,
  wanted_mac macaddr, wanted_duid bytea, wanted_client_id bytea, wanted_circuit_id bytea, wanted_hostname text,
  wanted_description text, shown jsonb, by_token uuid, by_name text, from_address inet, by_request text, cap bigint,
  out in_subnet integer, out given_ip inet, out made_at timestamptz)
language plpgsql as $$
declare
  place record;
  in_the_way boolean;
  exposed boolean;
  settled record;
  moment text := to_char(now() at time zone 'UTC', 'YYYY-MM-DD"T"HH24:MI:SS.MS"Z"');
begin
  update subnet set fence = fence + 1
  where id = wanted_subnet and (allowed_tenant is null or tenant_no = allowed_tenant) and cidr = checked_cidr
  returning no, tenant_no, gateway into place;
  if not found then
    raise exception using errcode = 'IP001', message = 'another subnet than was looked at';
  end if;
  in_subnet := place.no;
  given_ip := wanted_ip;
  if given_ip is null then
    given_ip := coalesce(
      take_vacancy(place.tenant_no, place.no, first, last, place.gateway),
      (find_vacancy(place.tenant_no, place.no, first, last, place.gateway, false)).free);
  end if;
  if given_ip is null then
    raise exception using errcode = 'IP001', message = 'nothing is free';
  end if;
  insert into reservation (id, subnet_no, ip, mac, duid, client_id, circuit_id, hostname, description)
  values (new_id, place.no, given_ip, wanted_mac, wanted_duid, wanted_client_id, wanted_circuit_id, wanted_hostname,
          wanted_description);
  select wanted_ip is not null and exists (select from in_the_way_of(place.no, wanted_ip)),
         exists (select from granted_from(place.no, given_ip))
  into in_the_way, exposed;
  if in_the_way then
    raise exception using errcode = 'IP001', message = 'something is in the way';
  end if;
  if exposed or cap is not null then
    settled := settle_addresses(
      array[place.tenant_no], array[place.no], case when exposed then array[given_ip] else '{}' end, cap);
    if settled.excess > 0 or wanted_ip is null and settled.lost is not null then
      raise exception using errcode = 'IP001', message = 'it cannot be settled';
    end if;
  end if;
  made_at := now();
  insert into change (tenant_no, subnet_no, object_type, object_id, action, after, token_id, token_name,
                      remote_address, request_id)
  values (place.tenant_no, place.no, 'reservation', new_id, 'created',
          shown || jsonb_build_object('ip', host(given_ip), 'created_at', moment, 'updated_at', moment), by_token, by_name,
          from_address, by_request);
end
$$;

-- An assignment of a given address in one transaction of its own, as `reserve` makes a reservation: it accepts by the rules
-- of all others, and raises IP001 for what is not plainly right.
create or replace function assign(
  wanted_subnet uuid, allowed_tenant integer, checked_cidr cidr, new_id uuid, wanted_ip inet, wanted_hostname text,
  wanted_description text, shown jsonb, by_token uuid, by_name text, from_address inet, by_request text, cap bigint,
  out in_subnet integer, out made_at timestamptz)
language plpgsql as $$
declare
  place record;
  settled record;
  moment text := to_char(now() at time zone 'UTC', 'YYYY-MM-DD"T"HH24:MI:SS.MS"Z"');
begin
  update subnet set fence = fence + 1
  where id = wanted_subnet and (allowed_tenant is null or tenant_no = allowed_tenant) and cidr = checked_cidr
  returning no, tenant_no into place;
  if not found then
    raise exception using errcode = 'IP001', message = 'another subnet than was looked at';
  end if;
  in_subnet := place.no;
  if exists (select from holder_of(place.tenant_no, place.no, wanted_ip)) then
    raise exception using errcode = 'IP001', message = 'something is in the way';
  end if;
  insert into assignment (id, subnet_no, ip, hostname, description)
  values (new_id, place.no, wanted_ip, wanted_hostname, wanted_description);
  settled := settle_addresses(array[place.tenant_no], array[place.no], array[wanted_ip], cap);
  if settled.excess > 0 or settled.lost is not null then
    raise exception using errcode = 'IP001', message = 'it cannot be settled';
  end if;
  made_at := now();
  insert into change (tenant_no, subnet_no, object_type, object_id, action, after, token_id, token_name,
                      remote_address, request_id)
  values (place.tenant_no, place.no, 'assignment', new_id, 'created',
          shown || jsonb_build_object('created_at', moment, 'updated_at', moment), by_token, by_name,
          from_address, by_request);
end
$$;
