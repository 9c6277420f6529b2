-- name: record_changes^
-- One row an object; the notification names the subnet that servers must reload, or nothing for all of them.
-- All rows of a statement share a subnet, so one notification is enough.
with recorded as (
  insert into change (tenant_no, subnet_no, object_type, object_id, action, before, after,
                      token_id, token_name, remote_address, request_id)
  select :tenant_no::integer, :subnet_no::integer, object_type, object_id, action, before, after,
         :token_id::uuid, :token_name::text, :remote_address::inet, :request_id::text
  from unnest(:types::text[], :ids::text[], :actions::text[], :befores::jsonb[], :afters::jsonb[])
    as changed (object_type, object_id, action, before, after)
)
select pg_notify('ipam_change', coalesce(:subnet_no::integer::text, ''));

-- name: announce^
-- Subnets whose changes are committed already.
select count(pg_notify('ipam_change', subnet_no::text)) from unnest(:subnets::integer[]) as subnet_no;
