-- name: limits_reached^
-- The first limit that a transaction has passed; see the function for the lock that it takes.
select limited_tenant, limited_kind, limit_set, limit_used from limits_reached(:tenants::integer[], :kinds::text[]);

-- name: fold_use$
-- Where no limited writer folds the differences.
select fold_use();
