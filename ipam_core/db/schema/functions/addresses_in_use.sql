-- The subnets that an address in use lies in or below: the tenant's and, of a server's address, those that are bound to
-- an interface. `whole`: the address, or the prefix with it that a delegation pool of the subnet gives.
create or replace function subnets_around(wanted_tenant integer, wanted inet, wanted_kind text)
returns table (subnet_no integer, tenant_no integer, whole inet) language sql stable as $$
  select no, subnet.tenant_no, wanted from subnet
  where int8range(subnet.tenant_no, subnet.tenant_no, '[]') && int8range(wanted_tenant, wanted_tenant, '[]')
    and cidr >>= wanted
  union all
  select no, subnet.tenant_no, wanted from subnet
  where wanted_kind = 'server' and interface is not null and subnet.tenant_no <> wanted_tenant and cidr >>= wanted
  union all
  select around.subnet_no, subnet.tenant_no, host(network(set_masklen(wanted, delegated_length)))::inet
  from (select pool.subnet_no, delegated_length from pool where prefix >>= wanted offset 0) as around
  cross join lateral (select * from subnet where no = around.subnet_no offset 0) as subnet
  where subnet.tenant_no = wanted_tenant or wanted_kind = 'server' and interface is not null
$$;

-- Whether a client has an active lease of the address, or of the prefix with it. Called for each row, so in a language that
-- keeps its plans.
create or replace function is_in_use_leased(wanted_tenant integer, wanted inet, wanted_kind text) returns boolean
language plpgsql stable as $$
begin
  return exists (
    select from subnets_around(wanted_tenant, wanted, wanted_kind) as around
    cross join lateral (
      select state, expires_at from lease
      where lease.tenant_no = around.tenant_no and lease.address = around.whole offset 0) as lease
    where state = 'a' and expires_at > now());
end
$$;

create or replace function judge_address_in_use() returns trigger language plpgsql as $$
begin
  new.leased := is_in_use_leased(new.tenant_no, new.address, new.kind);
  return new;
end
$$;
create or replace trigger address_in_use_judged before insert on address_in_use
  for each row execute function judge_address_in_use();

create or replace function touch_subnets() returns trigger language plpgsql as $$
declare
  changed address_in_use := coalesce(new, old);
  touched integer;
begin
  for touched in select subnet_no from subnets_around(changed.tenant_no, changed.address, changed.kind) loop
    insert into subnet_touch (subnet_no) values (touched);
    perform pg_notify('ipam_change', touched::text);
  end loop;
  return null;
end
$$;
create or replace trigger address_in_use_changed after insert or delete on address_in_use
  for each row execute function touch_subnets();
create or replace trigger address_in_use_turned after update of leased on address_in_use
  for each row when (new.leased <> old.leased) execute function touch_subnets();

-- Relays that subnets name, and trusted hosts.
create or replace function note_named_relays() returns trigger language plpgsql as $$
begin
  if tg_op <> 'INSERT' then
    delete from address_in_use where source = 'subnet:' || old.no or tg_op = 'DELETE' and source = 'seen:' || old.no;
  end if;
  if tg_op <> 'DELETE' then
    insert into address_in_use (tenant_no, address, source, kind)
    select distinct new.tenant_no, host(relay)::inet, 'subnet:' || new.no, 'relay'
    from unnest(new.relay_addresses) as relay;
  end if;
  return null;
end
$$;
create or replace trigger subnet_named_relays after insert on subnet
  for each row when (new.relay_addresses <> '{}') execute function note_named_relays();
create or replace trigger subnet_renamed_relays after update of relay_addresses on subnet
  for each row when (new.relay_addresses is distinct from old.relay_addresses) execute function note_named_relays();
create or replace trigger subnet_unnamed_relays after delete on subnet
  for each row execute function note_named_relays();

create or replace function note_trusted_host() returns trigger language plpgsql as $$
begin
  if tg_op <> 'INSERT' then
    delete from address_in_use where source = 'trusted_relay:' || old.no;
  end if;
  if tg_op <> 'DELETE' then
    insert into address_in_use (tenant_no, address, source, kind)
    select coalesce(new.tenant_no, tenant.no), host(new.cidr)::inet, 'trusted_relay:' || new.no, 'relay'
    from tenant
    where is_default and masklen(new.cidr) = case family(new.cidr) when 4 then 32 else 128 end;
  end if;
  return null;
end
$$;
create or replace trigger trusted_relay_host after insert or update of cidr, tenant_no or delete on trusted_relay
  for each row execute function note_trusted_host();

-- The addresses in use that a pool, by its fields, contains and would give: none that is excluded, assigned or reserved. `is_seen`: known
-- by packets of the relay alone. `leased`: a client has an active lease of the address, or of the prefix with it.
create or replace function addresses_in_pool(wanted_subnet integer, start_ip inet, end_ip inet, wanted cidr, length smallint)
returns table (address inet, kind text, is_seen boolean, leased boolean) language sql stable as $$
  with place as (
    select no, tenant_no, interface is not null as is_bound, gateway, length as delegated_length,
      coalesce($2, host(network(wanted))::inet) as first, coalesce($3, host(broadcast(wanted))::inet) as last
    from subnet where no = wanted_subnet
  ), used as (
    select here.address, here.kind, here.source like 'seen:%' as is_seen
    from place join address_in_use here on here.tenant_no = place.tenant_no and here.address between first and last
    union all
    select here.address, here.kind, false
    from place join tenant on tenant.is_default and tenant.no <> place.tenant_no
    join address_in_use here on here.tenant_no = tenant.no and here.kind = 'server' and here.address between first and last
    where is_bound
    union all
    select gateway, 'gateway', false from place where gateway between first and last
  ), whole as (
    select used.*, place.no, place.tenant_no, delegated_length is not null as delegates,
      case when delegated_length is null then address else host(network(set_masklen(address, delegated_length)))::inet end
        as first_address
    from used cross join place
  )
  select address, min(kind), bool_and(is_seen), bool_or(exists (
    select from lease where lease.tenant_no = whole.tenant_no and lease.address = first_address
      and lease.state = 'a' and lease.expires_at > now()))
  from whole
  where not exists (
      select from exclude where subnet_no = whole.no and whole.address between exclude.start_ip and exclude.end_ip)
    and not exists (select from assignment where subnet_no = whole.no and ip = whole.address)
    and not exists (select from reservation where subnet_no = whole.no and ip = whole.address)
    and not (delegates and exists (select from reservation where subnet_no = whole.no and prefix >>= whole.address))
  group by address
$$;

-- The same of all pools of these subnets; null: of all subnets.
create or replace function addresses_in_pools(wanted integer[])
returns table (subnet_no integer, address inet, kind text, is_seen boolean, leased boolean) language sql stable as $$
  select pool.subnet_no, used.* from pool
  cross join lateral addresses_in_pool(subnet_no, start_ip, end_ip, prefix, delegated_length) as used
  where wanted is null or pool.subnet_no = any(wanted)
$$;

-- How many addresses in use a range of a subnet holds that are nothing else: no gateway, not excluded, assigned, reserved or
-- leased.
create or replace function count_in_use(wanted_subnet integer, first inet, last inet) returns bigint language sql stable as $$
  select count(distinct here.address)
  from subnet join tenant on is_default
  join address_in_use here
    on here.tenant_no = any(array[subnet.tenant_no, case when interface is not null then tenant.no end])
    and (here.tenant_no = subnet.tenant_no or here.kind = 'server') and here.address between first and last
  where subnet.no = wanted_subnet and here.address is distinct from gateway
    and not exists (select from exclude where subnet_no = wanted_subnet and here.address between start_ip and end_ip)
    and not exists (select from assignment where subnet_no = wanted_subnet and ip = here.address)
    and not exists (select from reservation where subnet_no = wanted_subnet and ip = here.address)
    and not exists (
      select from lease where lease.tenant_no = subnet.tenant_no and lease.address = here.address and state = 'a')
$$;

-- Whether the figures of a subnet are older than what its addresses in use have become since; a transaction takes a while.
create or replace function is_touched_since(wanted_subnet integer, moment timestamptz) returns boolean language sql stable as $$
  select exists (select from subnet_touch where subnet_no = wanted_subnet and at > moment - interval '10 seconds')
$$;
