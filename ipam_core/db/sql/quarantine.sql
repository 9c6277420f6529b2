-- name: oldest_quarantined
-- Of a range of addresses in which nothing is free, those that were put out of service longest ago, but for some seconds:
-- whoever was found there a moment ago is there still. By the primary key's range, as the look for free rows before it.
select address, version from lease
where tenant_no = :tenant_no::integer and address between :first::inet and :last::inet
  and state = 'd' and reuse_at > now() and expires_at <= now() - make_interval(secs => :rest::integer)
  and address <> all(:besides::inet[])
order by expires_at, address limit :at_most::integer;

-- name: end_quarantines$
-- Each only as it was seen. The event is that of a release: servers and workers learn from it that the address is free.
with ended as (
  update lease set state = 'r', reuse_at = now(), taken_from = null, taken_since = null, ended_at = clock_timestamp(),
         version = nextval('lease_version')
  from (
    select * from unnest(:tenants::integer[], :addresses::inet[], :versions::bigint[]) as seen (tenant_no, address, version)
    order by tenant_no, address
  ) as seen
  where lease.tenant_no = seen.tenant_no and lease.address = seen.address and lease.version = seen.version
    and lease.state = 'd' and lease.reuse_at > now()
  returning lease.*
), {history of releases}
select count(*) from ended;

-- name: end_waited_quarantines$
-- A subnet whose quarantine became shorter: what has waited longer than that is free.
with ended as (
  update lease set state = 'r', reuse_at = now(), taken_from = null, taken_since = null, ended_at = clock_timestamp(),
         version = nextval('lease_version')
  where tenant_no = :tenant_no::integer and address between :first::inet and :last::inet
    and state = 'd' and reuse_at > now() and expires_at <= now() - make_interval(secs => :seconds::integer)
  returning *
), {history of releases}
select count(*) from ended;
