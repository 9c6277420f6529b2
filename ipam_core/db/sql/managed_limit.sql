-- name: managed$
-- Reservations and assignments of all tenants.
select sum(delta)::bigint from managed_change;

-- name: lock_alerts$
-- Who tells counts alone, so that no older count takes back what a newer one told.
select pg_advisory_xact_lock(hashtext('license_alert'));

-- name: raise_alerts
-- Shares of the limit of which nobody has told yet.
insert into license_alert (percent) select unnest(:passed::smallint[]) order by 1
on conflict do nothing
returning percent;

-- name: clear_alerts!
-- The next time is told again.
delete from license_alert where percent <> all(:passed::smallint[]);

-- name: fold_managed$
-- Differences become one, where no writer under a limit does it.
select count_managed();
