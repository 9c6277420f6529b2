-- Reconfigure messages (RFC 8415 section 18.3.11): what a server needs to send one.

-- name: read_secret$
-- Of which all servers make the same keys.
select secret from cluster_secret;

-- name: replay_value^
-- Microseconds since 2000 by the database's clock: above all that the client was told before, whoever told it.
select now, (extract(epoch from now - '2000-01-01 00:00:00+00'::timestamptz) * 1000000)::bigint as replay
from clock_timestamp() as now;

-- name: read_told_lease(tenant_no, address)^
-- The lease as it is now, and an address by which its client is reached: the link-local one that it sent from, since some
-- take the message from a link-local address only, and so is answered it; else its lease, or one beside a delegated prefix.
select lease.version, lease.state = 'a' and lease.expires_at > now() as runs, lease.duid, lease.relay_info, subnet.cidr,
       case when lease.next_hop << 'fe80::/10' then lease.next_hop when lease.ia_type = 3 then lease.address else (
         select other.address from lease as other
         where other.tenant_no = lease.tenant_no and other.duid = lease.duid and other.ia_type = 3
           and other.state = 'a' and other.expires_at > now()
         order by other.renewed_at desc limit 1) end as reached_at
from lease left join subnet on subnet.no = lease.subnet_no
where lease.tenant_no = :tenant_no::integer and lease.address = :address::inet;
