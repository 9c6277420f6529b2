-- name: limits_reached^
-- The first limit that a transaction has passed; see the function for the lock that it takes.
select limited_tenant, limited_kind, limit_set, limit_used from limits_reached(:tenants::integer[], :kinds::text[]);

-- name: room^
-- For a rehearsal, which takes no lock.
select
  tenant_limit(:tenant_no, limit_on(:kind)) as limit_set,
  (select coalesce(sum(delta), 0)::bigint from tenant_use where tenant_no = :tenant_no and kind = :kind) as limit_used;

-- name: fold_use$
-- Where no limited writer folds the differences.
select fold_use();
