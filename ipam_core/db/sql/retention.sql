-- name: forget_changes$
-- Deletes at most so many rows of the audit trail that are older; says how many went. A process that finds another at
-- it leaves it alone.
update audit_retention set days = :days::integer, at_most = :at_most::integer
where only_row = (select only_row from audit_retention for update skip locked)
returning forgotten;

-- name: forget_old_answers!
delete from idempotency where created_at < now() - interval '24 hours';
