-- name: record_changes^
-- One row an object; the notifications name the subnets that servers must reload, or nothing for all of them.
select record_changes(
  :tenants::integer[], :subnets::integer[], :types::text[], :ids::text[], :actions::text[], :befores::jsonb[],
  :afters::jsonb[], :token_id::uuid, :token_name::text, :remote_address::inet, :request_id::text);

-- name: announce^
-- Subnets whose changes are committed already.
select count(pg_notify('ipam_change', subnet_no::text)) from unnest(:subnets::integer[]) as subnet_no;
