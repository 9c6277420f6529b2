-- name: finish_writes^
-- The end of a transaction that gives addresses to machines, in one round trip: its change rows, the first of its new
-- reservations whose address something else in the subnet holds, and the last locks. See the function.
select lost, excess, place, type, id, ip, start_ip, end_ip, hostname from settle_writes(
  :tenants::integer[], :subnets::integer[], :types::text[], :ids::text[], :actions::text[], :befores::jsonb[],
  :afters::jsonb[], :token_id::uuid, :token_name::text, :remote_address::inet, :request_id::text,
  :reserved_in::integer[], :reserved::inet[], :given_by::integer[], :given_in::integer[], :given::inet[], :cap::bigint);
