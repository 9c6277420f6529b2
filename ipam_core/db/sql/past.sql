-- name: first_change_of_object^
-- What an object was at a moment, if it has changed since.
select before from change where object_id = (:id::uuid)::text and at > :at::timestamptz order by no limit 1;

-- name: subnet_objects
-- What stood in a subnet at a moment: what has changed since as it was before its first change, all else as it is.
with since as (
  select distinct on (object_id) object_id::uuid as id, object_type as type, before from change
  where subnet_no = :no::integer and at > :at::timestamptz
    and object_type in ('exclude', 'pool', 'reservation', 'assignment')
  order by object_id, no
), now as (
  select 'exclude' as type, id, start_ip, end_ip from exclude where subnet_no = :no::integer
  union all
  select 'pool', id, start_ip, end_ip from pool where subnet_no = :no::integer and start_ip is not null
  union all
  select 'reservation', id, ip::inet, ip::inet from reservation where subnet_no = :no::integer and ip is not null
  union all
  select 'assignment', id, ip, ip from assignment where subnet_no = :no::integer
), past as (
  select type, id, coalesce(before ->> 'start_ip', before ->> 'ip')::inet as start_ip,
    coalesce(before ->> 'end_ip', before ->> 'ip')::inet as end_ip
  from since
)
select * from now where id not in (select id from since)
union all
select * from past where start_ip is not null;

-- name: quarantined
-- Addresses that had been declined and were not free again at a moment: no earlier row than `since` can say so.
select address as ip from lease_event as event
where tenant_no = :tenant_no::integer and address between :first::inet and :last::inet and kind = 'd'
  and at > :since::timestamptz and at <= :at::timestamptz and reuse_at > :at::timestamptz
  and not exists (
    select from lease_event later where later.address = event.address and later.tenant_no = event.tenant_no
      and later.version > event.version and later.at <= :at::timestamptz and later.at >= event.at - interval '1 hour');

-- name: prefix_subnets
-- The subnets of a prefix at a moment, those that are gone since too.
with since as (
  select distinct on (object_id) object_id::uuid as id, before from change
  where object_type = 'subnet' and coalesce(after, before) ->> 'prefix_id' = :id::text and at > :at::timestamptz
  order by object_id, no
)
select id, cidr from subnet where prefix_no = :no::integer and id not in (select id from since)
union all
select id, (before ->> 'cidr')::cidr from since where before is not null;
