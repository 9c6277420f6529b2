-- name: record_event!
insert into event (id, type, tenant_no, data) values (:id, :type, :tenant_no, :data::jsonb);

-- name: forget_events!
-- So many at a time, so that nobody waits.
delete from event where no in (
  select no from event where at < now() - make_interval(days => :days::integer) order by no limit :at_most::integer
);

-- name: event_view
select event.no, event.id, event.at, event.type, tenant.id as tenant_id, event.data
from event
left join tenant on tenant.no = event.tenant_no;

-- name: event_span^
select coalesce(min(no), 1) as first, coalesce(max(no), 0) as last from event;
