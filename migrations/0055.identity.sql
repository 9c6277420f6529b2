-- depends: 0054.addresses_in_use

-- Clients of which two use one identity at once: an event an hour for each hardware address, or client where none is known.
create table client_alert (
  tenant_no integer not null references tenant (no) on delete cascade,
  type text not null check (type = 'client.identity_shared'),
  identity bytea not null,
  since timestamptz not null default now(),
  constraint client_alert_pkey primary key (tenant_no, type, identity)
);

-- As before, but the lease of the prefix itself is no hindrance where the operation takes it over by its version.
create or replace function delegable(operations lease_change[], subnets integer[], fences bigint[])
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
