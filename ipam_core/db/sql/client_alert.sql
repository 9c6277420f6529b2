-- name: raise_shared
-- Of clients that share an identity with another one, those of which nobody has said so for an hour: by hardware address,
-- else by what the client calls itself. Beside it, under what else the lease was written within the day.
with seen as (
  select distinct on (subnet.tenant_no, name.identity) subnet.tenant_no, subnet.id as subnet_id, subnet.cidr, s.ip, s.card,
    s.told, name.identity
  from unnest(:subnets::integer[], :addresses::inet[], :cards::bytea[], :told::bytea[]) as s (subnet_no, ip, card, told)
  join subnet on subnet.no = s.subnet_no
  cross join lateral (select case when s.card = '' then s.told else s.card end as identity) name
  order by subnet.tenant_no, name.identity
), raised as (
  insert into client_alert (tenant_no, type, identity)
  select tenant_no, 'client.identity_shared', identity from seen order by tenant_no, identity
  on conflict (tenant_no, type, identity) do update set since = now()
  where client_alert.since <= now() - interval '1 hour'
  returning tenant_no, identity
)
select seen.*, array(
  select distinct coalesce(e.client_id, e.duid) from lease_event e
  where e.tenant_no = seen.tenant_no and e.address = seen.ip and e.at > now() - interval '1 day'
    and coalesce(e.client_id, e.duid) <> seen.told
  limit 10) as others
from raised join seen using (tenant_no, identity)
order by tenant_no, identity;

-- name: forget_alerts!
-- What is older than an hour is told again in any case.
delete from client_alert where since <= now() - interval '1 hour';
