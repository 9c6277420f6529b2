coalesce((
    select running from pg_snapshot_xip({snapshot}) as running
    where not exists (
      select from pg_stat_activity a where a.backend_xid = running::xid
        and a.datid <> (select oid from pg_database where datname = current_database()))
    order by running limit 1), pg_snapshot_xmax({snapshot}))
