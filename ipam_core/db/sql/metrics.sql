-- name: nodes
-- By what they are and how they fare. Down is derived: a server that died says nothing any more.
select role,
       case when state <> 'stopped' and heartbeat_at < now() - interval '30 s' then 'down' else state end as shown,
       count(*)::integer as count
from node
group by role, shown
order by role, shown;
