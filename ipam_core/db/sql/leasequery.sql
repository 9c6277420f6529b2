-- name: is_configured$
-- Whether an address is of any subnet, or of a pool of prefixes.
select exists (select from subnet where cidr >>= :address::inet) or exists (select from pool where prefix >>= :address::inet);

-- name: by_address(address)
-- Leases that run; of tenants with the same network the first.
select lease.*, subnet.cidr, ceil(extract(epoch from lease.expires_at - now()))::bigint as seconds_left,
       floor(extract(epoch from now() - lease.renewed_at))::bigint as seconds_since
from tenant join lease on lease.tenant_no = tenant.no and lease.address = :address::inet
left join subnet on subnet.no = lease.subnet_no
where lease.state = 'a' and lease.expires_at > now()
order by tenant.no limit 1;

-- name: by_duid(duid)
-- All of a DHCPv6 client, in a bounded answer.
select lease.*, subnet.cidr, ceil(extract(epoch from lease.expires_at - now()))::bigint as seconds_left,
       floor(extract(epoch from now() - lease.renewed_at))::bigint as seconds_since
from lease left join subnet on subnet.no = lease.subnet_no
where lease.duid = :duid::bytea and lease.ia_type in (3, 25) and lease.state = 'a' and lease.expires_at > now()
order by lease.renewed_at desc limit 24;

-- name: by_hardware(hardware, kind)
-- All of a DHCPv4 client, the one that it spoke of last first.
select lease.*, subnet.cidr, ceil(extract(epoch from lease.expires_at - now()))::bigint as seconds_left,
       floor(extract(epoch from now() - lease.renewed_at))::bigint as seconds_since
from lease left join subnet on subnet.no = lease.subnet_no
where lease.hw_address = :hardware::bytea and lease.hw_type = :kind::smallint and lease.ia_type = 0
  and lease.state = 'a' and lease.expires_at > now()
order by lease.renewed_at desc limit 24;

-- name: by_client_id(client_id)
-- Where the client id is the key; and where the MAC is, of which the usual client id is made (RFC 2132 section 9.14).
select lease.*, subnet.cidr, ceil(extract(epoch from lease.expires_at - now()))::bigint as seconds_left,
       floor(extract(epoch from now() - lease.renewed_at))::bigint as seconds_since
from lease left join subnet on subnet.no = lease.subnet_no
where (lease.client_key = '\x02'::bytea || :client_id::bytea
    or lease.hw_address = substring(:client_id::bytea from 2) and lease.client_id = :client_id::bytea)
  and lease.ia_type = 0 and lease.state = 'a' and lease.expires_at > now()
order by lease.renewed_at desc limit 24;
