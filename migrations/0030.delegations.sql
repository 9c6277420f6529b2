-- depends: 0029.dns

-- A prefix that is delegated is one client's. Its pool, or the reservation that has it, overlaps no other subnet of the
-- tenant, whose pools lie in it, no delegation pool but one of its own subnet, and no other reserved prefix; a delegation
-- pool overlaps its own subnet neither. These stand in three tables, so no constraint sees them: one of a tenant at a time
-- looks. Grants of prefixes share that lock (see may_delegate).

-- What of the tenant is in the way of a prefix of that subnet, which is to be what `wanted_as` says: 'subnet', 'pool' or
-- 'reservation', by its number if it has one yet.
create function delegations_in_the_way(
  wanted_as text, wanted_tenant integer, own_subnet integer, wanted cidr, own_no integer)
returns table (type text, id uuid, network cidr, name text)
language sql stable as $$
  select 'subnet', subnet.id, cidr, subnet.name from subnet
  where tenant_no = wanted_tenant and cidr && wanted
    and (wanted_as = 'pool' or wanted_as = 'reservation' and no <> own_subnet)
  union all
  select 'pool', pool.id, prefix, pool.name from pool join subnet on subnet.no = subnet_no
  where subnet.tenant_no = wanted_tenant and prefix && wanted and case wanted_as
    when 'pool' then pool.no <> own_no when 'reservation' then subnet_no <> own_subnet else true end
  union all
  select 'reservation', reservation.id, prefix, hostname from reservation join subnet on subnet.no = subnet_no
  where subnet.tenant_no = wanted_tenant and prefix && wanted and subnet_no <> own_subnet
$$;

create function hold_delegations() returns trigger language plpgsql as $$
begin
  perform pg_advisory_xact_lock(
    hashtext('ipam delegation'), (select tenant_no from subnet where no = coalesce(new.subnet_no, old.subnet_no)));
  if tg_op <> 'DELETE' and exists (
      select from subnet cross join lateral delegations_in_the_way(
        tg_table_name, tenant_no, subnet.no, new.prefix, new.no) where subnet.no = new.subnet_no) then
    raise exception using errcode = '23P01', constraint = tg_table_name || '_delegation_overlap', table = tg_table_name,
      message = 'the prefix overlaps what the tenant has elsewhere';
  end if;
  return coalesce(new, old);
end
$$;

create function keep_subnet_apart() returns trigger language plpgsql as $$
begin
  perform pg_advisory_xact_lock(hashtext('ipam delegation'), new.tenant_no);
  if exists (select from delegations_in_the_way('subnet', new.tenant_no, new.no, new.cidr, new.no)) then
    raise exception using errcode = '23P01', constraint = 'subnet_delegation_overlap', table = 'subnet',
      message = 'the subnet overlaps prefixes that are delegated';
  end if;
  return new;
end
$$;

-- The plan only, never leases; rows without a prefix cost the look at one column.
create trigger subnet_apart before insert or update of cidr on subnet
  for each row when (family(new.cidr) = 6) execute function keep_subnet_apart();
create trigger pool_delegates before insert on pool
  for each row when (new.prefix is not null) execute function hold_delegations();
create trigger pool_delegates_otherwise before update of prefix, delegated_length on pool
  for each row when ((old.prefix, old.delegated_length) is distinct from (new.prefix, new.delegated_length))
  execute function hold_delegations();
create trigger pool_delegates_no_more before delete on pool
  for each row when (old.prefix is not null) execute function hold_delegations();
create trigger reservation_delegates before insert on reservation
  for each row when (new.prefix is not null) execute function hold_delegations();
create trigger reservation_delegates_otherwise before update of prefix on reservation
  for each row when (old.prefix is distinct from new.prefix) execute function hold_delegations();
create trigger reservation_delegates_no_more before delete on reservation
  for each row when (old.prefix is not null) execute function hold_delegations();

-- Leases that run or may be renewed yet, quarantines too, of addresses of the prefix: what lies in it by the primary key's range, and
-- the prefixes around it by their first address, which is the prefix's own with fewer bits.
create function leases_over(wanted_tenant integer, wanted cidr)
returns table (address inet, prefix_length smallint, client_key bytea, duid bytea)
language sql stable as $$
  select l.address, l.prefix_length, l.client_key, l.duid from lease l
  where l.tenant_no = wanted_tenant
    and l.address between set_masklen(wanted::inet, 128) and set_masklen(broadcast(wanted), 128)
    and l.reuse_at > now() and l.state <> 'i'
  union all
  select l.address, l.prefix_length, l.client_key, l.duid
  from (select distinct set_masklen(network(set_masklen(wanted::inet, n))::inet, 128) as first
        from generate_series(0, masklen(wanted) - 1) n) around
  join lease l on l.tenant_no = wanted_tenant and l.address = around.first
  where around.first <> set_masklen(wanted::inet, 128) and l.ia_type = 25
    and set_masklen(l.address, l.prefix_length) >>= wanted and l.reuse_at > now()
$$;

-- Whether a client may be delegated the prefix: asked behind the lock that changes of the plan take alone, so that no grant
-- by the plan before is under way unseen, and by what is committed until now, the subnet's fence too. Two grants under one
-- fence never overlap but at one first address, where the row decides. Leases of the client itself are no hindrance.
create function may_delegate(
  wanted_tenant integer, first inet, length integer, for_duid bytea, in_subnet integer, under bigint)
returns boolean language plpgsql volatile as $$
begin
  perform pg_advisory_xact_lock_shared(hashtext('ipam delegation'), wanted_tenant);
  return fence_holds(in_subnet, under) and not exists (
    select from leases_over(wanted_tenant, set_masklen(first, length)::cidr) held where held.duid is distinct from for_duid);
end
$$;
