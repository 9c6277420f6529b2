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

-- name: forget_nodes!
-- Where hosts come and go each leaves rows; whoever comes back under its name later is a new one.
delete from node where heartbeat_at < now() - make_interval(days => :days::integer);

-- name: forget_freed^
-- Looks at a tenant's next so many IPv6 leases, which the primary key has behind those of IPv4, and deletes those that
-- have been free to others for longer: hosts of a /64 come back with other addresses, so its rows are as many as there ever were. A
-- row that somebody writes just now is left. `address` is where to go on; no row: nothing is left to be looked at.
with page as materialized (
  select tenant_no, address, state, reuse_at from lease
  where tenant_no = :tenant_no::integer and address > :address::inet
  order by address limit :at_most::integer
), old as (
  select lease.tenant_no, lease.address from lease join page using (tenant_no, address)
  where page.state <> 'a' and page.reuse_at < now() - make_interval(days => :days::integer)
    and lease.state <> 'a' and lease.reuse_at = page.reuse_at
  for update of lease skip locked
), gone as (
  delete from lease using old where lease.tenant_no = old.tenant_no and lease.address = old.address returning 1
)
select (select count(*) from gone) as forgotten, address from page order by address desc limit 1;

-- name: tenants_with_leases()
-- One after the other is walked over.
select no from tenant order by no;
