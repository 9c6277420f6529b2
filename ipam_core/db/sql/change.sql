-- name: record_changes^
-- One row an object; the notifications name the subnets that servers must reload, or nothing for all of them.
with written as materialized (
  select * from unnest(
    :tenants::integer[], :subnets::integer[], :types::text[], :ids::text[], :actions::text[], :befores::jsonb[],
    :afters::jsonb[]) with ordinality as changed (tenant_no, subnet_no, object_type, object_id, action, before, after, place)
), recorded as (
  insert into change (tenant_no, subnet_no, object_type, object_id, action, before, after,
                      token_id, token_name, remote_address, request_id)
  select tenant_no, subnet_no, object_type, object_id, action, before, after,
         :token_id::uuid, :token_name::text, :remote_address::inet, :request_id::text
  from written order by place
)
select count(pg_notify('ipam_change', coalesce(subnet_no::text, '')))
from (select distinct subnet_no from written) as told;

-- name: announce^
-- Subnets whose changes are committed already.
select count(pg_notify('ipam_change', subnet_no::text)) from unnest(:subnets::integer[]) as subnet_no;
