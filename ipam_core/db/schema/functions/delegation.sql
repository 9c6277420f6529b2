-- A delegated prefix belongs to one client. Its pool, or its reservation, overlaps no other subnet of the tenant except the
-- subnet that contains its pool, no delegation pool except one of its own subnet, and no other reserved prefix; a
-- delegation pool does not overlap its own subnet either. These rows are in three tables, so no constraint sees them all:
-- one transaction of a tenant at a time checks. Grants of prefixes share that lock (see may_grant).

-- Objects of the tenant that are in the way of a prefix of that subnet, which is to be what `wanted_as` says: 'subnet', 'pool'
-- or 'reservation', by its number if it has one yet. Overlaps are found first and their subnets by key, whatever the
-- planner estimates: a subquery with an offset is not reordered.
create or replace function delegations_in_the_way(
  wanted_as text, wanted_tenant integer, own_subnet integer, wanted cidr, own_no integer)
returns table (type text, id uuid, network cidr, name text)
language sql stable as $$
  select 'subnet', subnet.id, cidr, subnet.name from subnet
  where tenant_no = wanted_tenant and cidr && wanted
    and (wanted_as = 'pool' or wanted_as = 'reservation' and no <> own_subnet)
  union all
  select 'pool', held.id, prefix, held.name
  from (select * from pool where prefix && wanted offset 0) held
  cross join lateral (select tenant_no from subnet where no = held.subnet_no offset 0) of_subnet
  where of_subnet.tenant_no = wanted_tenant and case wanted_as
    when 'pool' then held.no <> own_no when 'reservation' then subnet_no <> own_subnet else true end
  union all
  select 'reservation', held.id, prefix, hostname
  from (select * from reservation where prefix && wanted and subnet_no <> own_subnet offset 0) held
  cross join lateral (select tenant_no from subnet where no = held.subnet_no offset 0) of_subnet
  where of_subnet.tenant_no = wanted_tenant
$$;

create or replace function hold_delegations() returns trigger language plpgsql as $$
declare
  tenant integer := (select tenant_no from subnet where no = coalesce(new.subnet_no, old.subnet_no));
  length integer;
begin
  perform pg_advisory_xact_lock(hashtext('ipam delegation'), tenant);
  if tg_op <> 'DELETE' then
    if exists (select from delegations_in_the_way(tg_table_name, tenant, new.subnet_no, new.prefix, new.no)) then
      raise exception using errcode = '23P01', constraint = tg_table_name || '_delegation_overlap', table = tg_table_name,
        message = 'the prefix overlaps what the tenant has elsewhere';
    end if;
    if new.prefix is not null then
      length := case tg_table_name when 'pool' then (to_jsonb(new) ->> 'delegated_length')::integer else masklen(new.prefix) end;
      insert into delegation_length values (tenant, length) on conflict do nothing;
    end if;
  end if;
  return coalesce(new, old);
end
$$;
create or replace trigger pool_delegates before insert on pool
  for each row when (new.prefix is not null) execute function hold_delegations();
create or replace trigger pool_delegates_otherwise before update of prefix, delegated_length on pool
  for each row when ((old.prefix, old.delegated_length) is distinct from (new.prefix, new.delegated_length))
  execute function hold_delegations();
create or replace trigger pool_delegates_no_more before delete on pool
  for each row when (old.prefix is not null) execute function hold_delegations();
create or replace trigger reservation_delegates before insert on reservation
  for each row when (new.prefix is not null) execute function hold_delegations();
create or replace trigger reservation_delegates_otherwise before update of prefix on reservation
  for each row when (old.prefix is distinct from new.prefix) execute function hold_delegations();
create or replace trigger reservation_delegates_no_more before delete on reservation
  for each row when (old.prefix is not null) execute function hold_delegations();

create or replace function keep_subnet_apart() returns trigger language plpgsql as $$
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
create or replace trigger subnet_apart before insert or update of cidr on subnet
  for each row when (family(new.cidr) = 6) execute function keep_subnet_apart();

-- Leases that run or may still be renewed, and quarantines, of addresses of the prefix: those in it by the primary key's
-- range, and the prefixes around it by their first address, which is the prefix's own with fewer bits. Each row is found by
-- its key whatever the planner estimates for a table that was empty when it planned: a loop over a subquery with a limit
-- is not reordered.
create or replace function leases_over(wanted_tenant integer, wanted cidr)
returns table (address inet, prefix_length smallint, client_key bytea, duid bytea)
language sql stable as $$
  select l.address, l.prefix_length, l.client_key, l.duid from lease l
  where l.tenant_no = wanted_tenant
    and l.address between set_masklen(wanted::inet, 128) and set_masklen(broadcast(wanted), 128)
    and l.reuse_at > now() and l.state <> 'i'
  union all
  select l.address, l.prefix_length, l.client_key, l.duid
  from delegation_length d
  cross join lateral (
    select * from lease
    where tenant_no = wanted_tenant and address = set_masklen(network(set_masklen(wanted::inet, d.length))::inet, 128)
    limit 1) l
  where d.tenant_no = wanted_tenant and d.length < masklen(wanted)
    and l.address <> set_masklen(wanted::inet, 128) and l.ia_type = 25 and l.prefix_length = d.length and l.reuse_at > now()
$$;

-- Whether a client may be delegated one prefix; see may_grant.
create or replace function may_delegate(
  wanted_tenant integer, first inet, length integer, for_duid bytea, in_subnet integer, under bigint)
returns boolean language plpgsql volatile as $$
begin
  perform pg_advisory_xact_lock_shared(hashtext('ipam delegation'), wanted_tenant);
  return fence_holds(in_subnet, under) and not exists (
    select from leases_over(wanted_tenant, set_masklen(first, length)::cidr) held where held.duid is distinct from for_duid);
end
$$;

-- Whether each operation of a batch may grant its prefix, in the order of the operations; null: it grants no prefix. It takes
-- the lock that changes of the plan hold alone, so no grant by the previous plan is in progress unseen, and reads what is
-- committed by then, the subnet's fence included. Two grants under one fence overlap at one first address only, where the
-- row decides. Leases of the client itself are no hindrance, nor is the lease of the prefix that the operation takes over
-- by its version. One call for a statement instead of one for each row, because each costs a function's start and a
-- snapshot.
create or replace function may_grant(operations lease_request[], subnets integer[], fences bigint[])
returns boolean[] language plpgsql volatile as $$
declare
  tenant integer;
begin
  for tenant in select distinct o.tenant_no from unnest(operations) o where (o.association).ia_type = 25 order by 1 loop
    perform pg_advisory_xact_lock_shared(hashtext('ipam delegation'), tenant);
  end loop;
  return array(
    select case when (o.association).ia_type = 25 then s.fence <= fences[o.place] and not exists (
      select from leases_over(o.tenant_no, set_masklen(o.address, (o.association).prefix_length)::cidr) held
      where held.duid is distinct from (o.association).duid
        and not (held.address = o.address and held.prefix_length = (o.association).prefix_length
          and o.version = (select l.version from lease l where l.tenant_no = o.tenant_no and l.address = o.address))) end
    from unnest(operations) with ordinality o left join subnet s on s.no = o.subnet_no
    order by o.ordinality);
end
$$;
