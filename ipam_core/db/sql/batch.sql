-- name: finish_writes^
-- The end of a transaction that gives addresses to machines, in one round trip: its change rows, the first of its new
-- reservations whose address something else in the subnet holds, the last locks, and the first limit of a tenant that it
-- passes. See the functions; the outer one is called first.
select lost, excess, place, type, id, ip, start_ip, end_ip, hostname,
       limited_tenant, limited_kind, limit_set, limit_used
from settle_writes(
  :tenants::integer[], :subnets::integer[], :types::text[], :ids::text[], :actions::text[], :befores::jsonb[],
  :afters::jsonb[], :token_id::uuid, :token_name::text, :remote_address::inet, :request_id::text,
  :reserved_in::integer[], :reserved::inet[], :given_by::integer[], :given_in::integer[], :given::inet[], :managed_limit::bigint)
left join lateral limits_reached(:made_in::integer[], :made::text[]) on true;

-- name: finish_plain_writes^
-- The end of any other transaction: its change rows, and the first limit of a tenant that it passes.
select limited_tenant, limited_kind, limit_set, limit_used
from record_changes(
  :tenants::integer[], :subnets::integer[], :types::text[], :ids::text[], :actions::text[], :befores::jsonb[],
  :afters::jsonb[], :token_id::uuid, :token_name::text, :remote_address::inet, :request_id::text)
left join lateral limits_reached(:made_in::integer[], :made::text[]) on true;

