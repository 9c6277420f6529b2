-- depends: 0040.record_numbers

-- How full a delegation pool is, in prefixes of its length, where count_range and count_usage count addresses: `first` and
-- `last` are the pool's own ends, `reserved` and `taken` its prefixes that are reserved. What a pool excludes lies within
-- each of its prefixes (RFC 6603) and takes none of them away.
create function count_delegation_range(
  wanted_subnet integer, wanted cidr, length integer,
  out total numeric, out excluded numeric, out reserved bigint, out assigned bigint, out taken numeric)
language sql stable strict as $$
  select 2::numeric ^ (length - masklen(wanted)), 0::numeric, count(*), 0::bigint, count(*)::numeric
  from reservation where subnet_no = wanted_subnet and prefix <<= wanted
$$;

create function count_delegations(
  wanted_tenant integer, wanted_subnet integer, wanted cidr, length integer,
  out total numeric, out excluded numeric, out reserved bigint, out assigned bigint, out taken numeric,
  out leased bigint, out open bigint)
language sql stable strict as $$
  select c.total, c.excluded, c.reserved, c.assigned, c.taken, l.leased, l.open
  from count_delegation_range(wanted_subnet, wanted, length) as c cross join (
    select count(*) as leased, count(*) filter (where r.no is null) as open
    from lease left join reservation r on r.subnet_no = wanted_subnet
      and r.prefix = set_masklen(lease.address, lease.prefix_length)::cidr
    where lease.tenant_no = wanted_tenant and lease.ia_type = 25 and lease.state = 'a' and lease.subnet_no = wanted_subnet
      and lease.address between host(network(wanted))::inet and host(broadcast(wanted))::inet) as l
$$;

-- The figures of each subnet whose pools delegate are counted anew.
delete from usage where subnet_no in (select subnet_no from pool where prefix is not null);
