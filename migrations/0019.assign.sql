-- depends: 0018.writes

-- A single assignment of a given address is made in one round trip, by the same rules as all others.

-- What is in the way of an assignment's address: a reservation, a client's lease or its quarantine. Writers to one subnet
-- follow one another, so what is not reserved now is not at the COMMIT.
create function holder_of(wanted_tenant integer, wanted_subnet integer, wanted_ip inet)
returns table (type text, id uuid, ip inet, hostname text)
language sql stable as $$
  select 'reservation', id, ip::inet, hostname from reservation where subnet_no = wanted_subnet and ip = wanted_ip
  union all
  select case state when 'a' then 'lease' else 'quarantine' end, null, address, hostname from lease
  where tenant_no = wanted_tenant and address = wanted_ip and state in ('a', 'd') and reuse_at > now()
$$;

-- An assignment of a given address in one transaction of its own, as `reserve` makes a reservation: it accepts by the rules
-- of all others, and raises IP001 for what is not plainly right.
create function assign(
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
