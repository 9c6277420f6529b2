-- depends: 0063.usage_parts

-- Options by which a client class may recognize a client that later leaves them out: user class (77; DHCPv6 15),
-- architecture (93; 61) and others that classes ask for. Each stands with its code and length, two octets each, in
-- front of its octets, as in DHCPv6. Null: the client sent none.
alter table lease add column client_options bytea;

-- The columns of a lease that describe the client's device. Servers of the previous version send lease_device.
create type lease_client as (
  relay_id bytea, relay_info bytea, vendor_class bytea, parameter_list bytea, accepts_reconfigure boolean,
  client_options bytea);

-- One write of a DHCP server; lease_change of 0032 is what servers of the previous version send.
create type lease_request as (
  tenant_no integer, address inet, subnet_no integer, place smallint, operation "char", lifetime integer, margin integer,
  age integer, version bigint, hw_type smallint, hw_address bytea, client_id bytea, client_key bytea, hostname text,
  relay inet, circuit_id bytea, remote_id bytea, association lease_association, device lease_client, fqdn_flags smallint);

-- delegable of 0055 for these; under another name, because the statements of both versions name no type there.
create function may_grant(operations lease_request[], subnets integer[], fences bigint[])
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
