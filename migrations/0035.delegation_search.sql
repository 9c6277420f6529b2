-- depends: 0034.server_name

-- How long the prefixes are that a tenant delegates or has delegated; a length stays when nothing has it any more, because
-- leases may. So the look for delegations around a prefix has a place or two to look at, and not one for each of its bits.
create table delegation_length (
  tenant_no integer not null references tenant on delete cascade,
  length smallint not null,
  constraint delegation_length_pkey primary key (tenant_no, length)
);
insert into delegation_length
  select subnet.tenant_no, delegated_length from pool join subnet on subnet.no = subnet_no where prefix is not null
  union select subnet.tenant_no, masklen(prefix) from reservation join subnet on subnet.no = subnet_no where prefix is not null
  union select tenant_no, prefix_length from lease where ia_type = 25;

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

-- As before, but each row is found by its key whatever the planner thinks of a table that was empty when it planned: the
-- loop over a subquery with a limit cannot be turned around.
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

-- may_delegate of 0030 for a whole batch, in the order of its operations: what is no delegation is null. One call a
-- statement instead of one a row, because each costs a function's start and a snapshot.
create function delegable(operations lease_change[], subnets integer[], fences bigint[])
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
      where held.duid is distinct from (o.association).duid) end
    from unnest(operations) with ordinality o left join subnet s on s.no = o.subnet_no
    order by o.ordinality);
end
$$;
