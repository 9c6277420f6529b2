-- name: client_class_view^
-- The tenant gives its public id, and lists filter by it.
select client_class.no, client_class.id, tenant.id as tenant_id, client_class.name, client_class.description,
       client_class.priority, client_class.vendor_class, client_class.user_class, client_class.mac_prefix,
       client_class.locally_administered, client_class.known, client_class.match, client_class.template, client_class.deny,
       client_class.next_server, client_class.server_name, client_class.boot_file,
       client_class.created_at, client_class.updated_at
from client_class join tenant on tenant.no = client_class.tenant_no;

-- name: count_users^
-- A class that pools serve is not deleted: without it they would serve everybody; nor one that reservations give.
select (select count(*) from pool where class_no = :no::integer) as pools,
       (select count(*) from reservation where class_no = :no::integer) as reservations;

-- name: find_class^
-- A class that conditions name must be tried before the one that names it, and be a template where they compare a value.
select no, priority, template, match from client_class where tenant_no = :tenant_no::integer and name = :name::text;

-- name: classes_that_name
-- Whose conditions would say something else, were this class renamed, deleted or tried later.
select name, priority, match from client_class
where tenant_no = :tenant_no::integer and no <> :no::integer
  and jsonb_path_exists(match, '$.**.class ? (@ == $name)', jsonb_build_object('name', :name::text))
order by priority, no;
