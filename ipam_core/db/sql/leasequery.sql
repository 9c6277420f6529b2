-- name: moment()$
-- When a bulk query was asked, by the clock that stamps grants.
select now();

-- name: is_configured(address, tenants)$
-- Whether an address is of any subnet, or of a pool of prefixes.
select exists (select from subnet where cidr >>= :address::inet and tenant_no = any(:tenants::integer[]))
  or exists (select from pool join subnet on subnet.no = pool.subnet_no
    where pool.prefix >>= :address::inet and subnet.tenant_no = any(:tenants::integer[]));

-- name: subnets_of_link(link, tenants)
-- Those that a relay with this link-address stands in front of, and those that share their wire.
with named as (
  select no, tenant_no, shared_network from subnet
  where family(cidr) = 6 and tenant_no = any(:tenants::integer[])
    and (cidr >>= :link::inet or :link::inet = any(relay_addresses))
)
select no from named
union
select subnet.no from subnet join named using (tenant_no, shared_network) where family(subnet.cidr) = 6;

-- name: by_address(address, tenants)
-- The lease of an address, or of the delegated prefix that it is in (RFC 5007 section 4.1.2.1); it runs. Only prefixes as
-- long as their pool or reservation says can be leased, so that each is one look into the key.
with held as (
  select :address::inet as address
  union select host(network(set_masklen(:address::inet, delegated_length)))::inet from pool where prefix >>= :address::inet
  union select host(prefix)::inet from reservation where prefix >>= :address::inet
)
select {lease as asked}
from unnest(:tenants::integer[]) with ordinality as asked (tenant_no, place)
join lease on lease.tenant_no = asked.tenant_no and lease.address in (select address from held)
left join subnet on subnet.no = lease.subnet_no
where lease.state = 'a' and lease.expires_at > now()
  and network(set_masklen(lease.address, lease.prefix_length)) >>= :address::inet
order by asked.place, lease.prefix_length desc limit 1;

-- name: by_duid(duid, tenants, most)
-- All of a DHCPv6 client, in a bounded answer.
select {lease as asked}
from lease left join subnet on subnet.no = lease.subnet_no
where lease.duid = :duid::bytea and lease.tenant_no = any(:tenants::integer[]) and lease.ia_type in (3, 25)
  and lease.state = 'a' and lease.expires_at > now()
order by array_position(:tenants::integer[], lease.tenant_no), lease.renewed_at desc limit :most::integer;

-- name: by_hardware(hardware, kind, tenants, most)
-- All of a DHCPv4 client, the one that it spoke of last first.
select {lease as asked}
from lease left join subnet on subnet.no = lease.subnet_no
where {lease of the hardware} and lease.hw_type = :kind::smallint and lease.ia_type = 0
  and lease.tenant_no = any(:tenants::integer[]) and lease.state = 'a' and lease.expires_at > now()
order by array_position(:tenants::integer[], lease.tenant_no), lease.renewed_at desc limit :most::integer;

-- name: by_client_id(client_id, tenants, most)
-- Where the client id is the key; and where the MAC is, of which the usual client id is made (RFC 2132 section 9.14).
select {lease as asked}
from lease left join subnet on subnet.no = lease.subnet_no
where (lease.client_key = '\x02'::bytea || :client_id::bytea
    or {lease of the hardware in the client id} and lease.client_id = :client_id::bytea)
  and lease.ia_type = 0 and lease.tenant_no = any(:tenants::integer[])
  and lease.state = 'a' and lease.expires_at > now()
order by array_position(:tenants::integer[], lease.tenant_no), lease.renewed_at desc limit :most::integer;

-- name: ranges_of_subnets(subnets)
-- Where leases of these subnets lie in the key, which no index by subnet says: in their networks, and in the prefixes that
-- are delegated behind them.
select tenant_no, cidr from subnet where no = any(:subnets::integer[])
union
select subnet.tenant_no, pool.prefix from pool join subnet on subnet.no = pool.subnet_no
where pool.prefix is not null and subnet.no = any(:subnets::integer[])
union
select subnet.tenant_no, reservation.prefix from reservation join subnet on subnet.no = reservation.subnet_no
where reservation.prefix is not null and subnet.no = any(:subnets::integer[]);

-- name: page_end(tenant_no, first, last, size)$
-- The last of so many rows from an address on; null where there are fewer. It bounds what a page looks at, however little
-- of it is told.
select address from lease
where tenant_no = :tenant_no::integer and address between :first::inet and :last::inet
order by address offset :size::integer - 1 limit 1;

-- name: page(tenant_no, first, last, subnets, relay_id, remote_id, running, since, until, most)
-- What is told of one page, by address: the leases that run, or all that have been, in the state that they are in.
select * from (
  select {lease as asked}
  from lease left join subnet on subnet.no = lease.subnet_no
  where lease.tenant_no = :tenant_no::integer and lease.address between :first::inet and :last::inet
    and (:subnets::integer[] is null or lease.subnet_no = any(:subnets::integer[]))
    and (:relay_id::bytea is null or lease.relay_id = :relay_id::bytea)
    and (:remote_id::bytea is null or lease.remote_id = :remote_id::bytea)
    and (not :running::boolean or lease.state = 'a' and lease.expires_at > now())
    and lease.ia_type in (0, 3, 25) and lease.state <> 'i'
) as found
where changed between :since::bigint and :until::bigint
order by address limit :most::integer;

-- name: of_clients(tenant_no, duids, subnets, relay_id, remote_id, asked_at)
-- All leases of the DHCPv6 clients of one page, as far as they are asked for. `had_before`: since before the query began.
select {lease as asked}, lease.granted_at <= :asked_at::timestamptz as had_before
from lease left join subnet on subnet.no = lease.subnet_no
where lease.duid = any(:duids::bytea[]) and lease.tenant_no = :tenant_no::integer and lease.ia_type in (3, 25)
  and (:subnets::integer[] is null or lease.subnet_no = any(:subnets::integer[]))
  and (:relay_id::bytea is null or lease.relay_id = :relay_id::bytea)
  and (:remote_id::bytea is null or lease.remote_id = :remote_id::bytea)
  and lease.state = 'a' and lease.expires_at > now()
order by lease.address;
