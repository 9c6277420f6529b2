-- name: wait_for_others!
-- Two that start at once on one database fill it once.
select pg_advisory_xact_lock(hashtext('ipam demo'));

-- name: is_planned$
-- Whether anybody has planned anything: the demonstration never mixes with somebody's plan.
select exists (select from prefix);
