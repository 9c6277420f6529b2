-- Numbers of a range inside a subnet. `taken`: addresses that the plan leaves to no client, each counted once (an assignment
-- may lie inside an exclude; a reservation may not), addresses in use included. Every count uses an index.
create or replace function count_range(
  wanted_subnet integer, first inet, last inet,
  out total numeric, out excluded numeric, out reserved bigint, out assigned bigint, out taken numeric)
language sql stable strict as $$
  select total, excluded, reserved, assigned, excluded + reserved + assigned - doubled + gateway + in_use from (
    select range_size(first, last) as total,
      (select coalesce(sum(range_size(greatest(start_ip, first), least(end_ip, last))), 0) from exclude
       where subnet_no = wanted_subnet and start_ip <= last and end_ip >= first) as excluded,
      (select count(*) from reservation where subnet_no = wanted_subnet and ip between first and last) as reserved,
      (select count(*) from assignment where subnet_no = wanted_subnet and ip between first and last) as assigned,
      (select count(*) from exclude join assignment using (subnet_no)
       where subnet_no = wanted_subnet and start_ip <= last and end_ip >= first
         and ip between greatest(start_ip, first) and least(end_ip, last)) as doubled,
      (select count(*) from subnet where no = wanted_subnet and gateway between first and last
         and not exists (select from exclude where subnet_no = subnet.no and gateway between start_ip and end_ip)
         and not exists (select from reservation where subnet_no = subnet.no and ip = gateway)
         and not exists (select from assignment where subnet_no = subnet.no and ip = gateway)) as gateway,
      count_in_use(wanted_subnet, first, last) as in_use
  ) as counted
$$;

-- The figures of a range, leases among them, as the refresher stores them.
create or replace function count_usage(
  wanted_tenant integer, wanted_subnet integer, first inet, last inet,
  out total numeric, out excluded numeric, out reserved bigint, out assigned bigint, out taken numeric,
  out leased bigint, out open bigint)
language sql stable strict as $$
  select c.total, c.excluded, c.reserved, c.assigned, c.taken, l.leased, l.open
  from count_range(wanted_subnet, first, last) as c cross join (
    select count(*) as leased, count(*) filter (where r.no is null) as open
    from lease left join reservation r on r.subnet_no = wanted_subnet and r.ip = lease.address
    where lease.tenant_no = wanted_tenant and lease.address between first and last and lease.state = 'a'
      and lease.subnet_no = wanted_subnet) as l
$$;

-- Numbers of a delegation pool, in prefixes of its length, where count_range and count_usage count addresses: `reserved` and
-- `taken` are its reserved prefixes, `taken` also those that contain an address in use. An excluded prefix lies within each
-- of its prefixes (RFC 6603) and takes none away.
create or replace function count_delegation_range(
  wanted_subnet integer, wanted cidr, length integer,
  out total numeric, out excluded numeric, out reserved bigint, out assigned bigint, out taken numeric)
language sql stable strict as $$
  select 2::numeric ^ (length - masklen(wanted)), 0::numeric, reserved, 0::bigint, (reserved + in_use)::numeric from (
    select (select count(*) from reservation where subnet_no = wanted_subnet and prefix <<= wanted) as reserved,
      (select count(distinct whole.prefix) from subnet
       join address_in_use here on here.tenant_no = subnet.tenant_no
         and here.address between host(network(wanted))::inet and host(broadcast(wanted))::inet
       cross join lateral (select network(set_masklen(here.address, length)) as prefix) as whole
       where subnet.no = wanted_subnet
         and not exists (select from reservation where subnet_no = wanted_subnet and reservation.prefix && whole.prefix)
         and not exists (
           select from lease where lease.tenant_no = subnet.tenant_no and lease.state = 'a'
             and lease.address = host(whole.prefix)::inet)) as in_use
  ) as counted
$$;

create or replace function count_delegations(
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

-- Parts of a subnet's or pool's figures that no other figure contains, by its ends.
-- `gateway`: 1 where the range contains the subnet's gateway and the plan counts it as nothing else. `doubled`: assigned
-- addresses that are excluded as well. A range without ends contains neither. As in count_range, in a form that the
-- planner merges with the query around it.
create or replace function count_parts(wanted_subnet integer, first inet, last inet)
returns table (gateway bigint, doubled bigint) language sql stable as $$
  select
    (select count(*) from subnet where no = wanted_subnet and subnet.gateway between first and last
       and not exists (
         select from exclude where subnet_no = subnet.no and subnet.gateway between start_ip and end_ip)
       and not exists (select from reservation where subnet_no = subnet.no and ip = subnet.gateway)
       and not exists (select from assignment where subnet_no = subnet.no and ip = subnet.gateway)),
    (select count(*) from exclude join assignment using (subnet_no)
     where subnet_no = wanted_subnet and start_ip <= last and end_ip >= first
       and ip between greatest(start_ip, first) and least(end_ip, last))
$$;
