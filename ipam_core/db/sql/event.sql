-- name: record_events!
-- In the transaction of what they tell: neither happens without the other.
insert into event (id, type, tenant_no, data)
select id, type, tenant_no, data
from rows from (jsonb_to_recordset(:events::jsonb) as (id uuid, type text, tenant_no integer, data jsonb))
  with ordinality as e
order by ordinality;

-- name: forget_events!
-- So many at a time, so that nobody waits.
delete from event where no in (
  select no from event where at < now() - make_interval(days => :days::integer) order by no limit :at_most::integer
);

-- name: event_view
-- Events that concern no tenant have none, so the join is outer.
select event.no, event.id, event.at, event.type, tenant.id as tenant_id, event.data
from event
left join tenant on tenant.no = event.tenant_no;
