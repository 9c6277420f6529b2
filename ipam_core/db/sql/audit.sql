-- name: audit_view
-- A row outlives what it tells of, so tenant, subnet and token may be gone: the joins are outer. Readers of one tenant
-- see who made a change only where the author is a token of that tenant.
select change.no, change.at, tenant.id as tenant_id, subnet.id as subnet_id, change.object_type,
       change.object_id, change.action, change.before, change.after, change.token_id, change.token_name,
       change.remote_address, change.request_id, author.tenant_no as author_tenant_no
from change
left join tenant on tenant.no = change.tenant_no
left join subnet on subnet.no = change.subnet_no
left join token author on author.id = change.token_id;

-- name: span^
-- The walk through history starts at the newest number and ends at the oldest; both ends come from the primary key.
select coalesce(min(no), 1) as first, coalesce(max(no), 0) as last from change;
