-- name: assignment_view^
select assignment.no, assignment.id, subnet.id as subnet_id, assignment.ip, assignment.hostname,
       assignment.description, assignment.created_at, assignment.updated_at
from assignment
join subnet on subnet.no = assignment.subnet_no
join tenant on tenant.no = subnet.tenant_no;
