-- depends: 0062.aliases

-- Parts of a subnet's or pool's figures that no other figure contains, by its ends.
-- `gateway`: 1 where the range contains the subnet's gateway and the plan counts it as nothing else. `doubled`: assigned
-- addresses that are excluded as well. A range without ends contains neither. As in count_range of 0054, in a form
-- that the planner merges with the query around it.
create function count_parts(wanted_subnet integer, first inet, last inet)
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
