-- name: tenants
-- Whom prefixes of NetBox may come to: all that the actor sees.
select no, id, name, is_default from tenant
where :tenant_no::integer is null or no = :tenant_no::integer order by no;

-- name: prefixes_in_the_way
-- Of each wanted prefix the first that it overlaps, by the index of the constraint that would refuse it.
select wanted.place, found.id, found.cidr
from unnest(:tenants::integer[], :cidrs::cidr[]) with ordinality as wanted (tenant_no, cidr, place)
cross join lateral (
  select prefix.id, prefix.cidr from prefix
  where int8range(prefix.tenant_no, prefix.tenant_no, '[]') && int8range(wanted.tenant_no, wanted.tenant_no, '[]')
    and prefix.cidr && wanted.cidr
  order by prefix.cidr limit 1
) as found;

-- name: prefixes_after
-- A piece of those that are given to NetBox, tenant by tenant, because they go to other places: a run goes on behind
-- the last.
select no, id, tenant_no, cidr, description from prefix
where (tenant_no, no) > (:tenant_no::integer, :no::integer) and tenant_no = any(:tenants::integer[])
  and (:family::integer is null or family(cidr) = :family::integer)
  and (:within::cidr is null or cidr <<= :within::cidr)
order by tenant_no, no limit :at_most::integer;
