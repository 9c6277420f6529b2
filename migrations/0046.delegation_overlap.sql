-- depends: 0045.other_hardware

-- What is delegated is few rows of two large tables. Without an index a new subnet of IPv6 looked at every reservation; and
-- where the planner had seen small tables, at every subnet too, so that 4,000 subnets took twelve seconds in PostgreSQL.
create index pool_by_prefix on pool using gist (prefix inet_ops) where prefix is not null;
create index reservation_by_prefix on reservation using gist (prefix inet_ops) where prefix is not null;

-- As before (0030), but what overlaps is found first and its subnet by its key, whatever the planner thinks: a subquery with
-- an offset is not turned around.
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
