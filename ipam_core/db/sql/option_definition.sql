-- name: option_definition_view^
-- The column cannot bear the name of its field: array is a word of SQL.
select option_definition.no, option_definition.id, tenant.id as tenant_id, option_definition.family,
       option_definition.code, option_definition.name, option_definition.kind,
       option_definition.is_array as "array", option_definition.vendor_space, option_definition.created_at,
       option_definition.updated_at
from option_definition join tenant on tenant.no = option_definition.tenant_no;

-- name: lock_definitions$
-- Waits for options in hand and keeps others from being written: what is looked at now is so at the COMMIT.
select pg_advisory_xact_lock(hashtext('option_definition'), :tenant_no::integer);

-- name: stored_options
-- Options that may be read by a definition: of its code, or with sub-options.
select code, vendor_class, payload from dhcp_option
where tenant_no = :tenant_no::integer and family = :family::smallint
  and (code = :code::integer or payload ? 'suboptions');
