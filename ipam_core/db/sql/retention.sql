-- name: forget_changes$
-- Deletes at most so many rows of the audit trail that are older; says how many went. A process that finds another at
-- it leaves it alone.
update audit_retention set days = :days::integer, at_most = :at_most::integer
where only_row = (select only_row from audit_retention for update skip locked)
returning forgotten;

-- name: forget_old_answers!
-- As find_answer no longer finds them.
delete from idempotency where created_at < now() - interval '24 hours';

-- name: forget_claims!
-- Marks of addresses that the API has given to machines, when no grant can be on its way that was decided before. What
-- is more than a mark stays, and nobody is waited for.
with old as materialized (
  delete from address_claim where at < now() - interval '1 hour' returning tenant_no, address
), marks as materialized (
  select lease.tenant_no, lease.address from lease
  join old on old.tenant_no = lease.tenant_no and old.address = lease.address
  where lease.state = 'r' and lease.claimed and get_byte(lease.client_key, 0) = 0
  for update of lease skip locked
)
delete from lease using marks where lease.tenant_no = marks.tenant_no and lease.address = marks.address;
