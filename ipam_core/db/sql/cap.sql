-- name: lock_cap$
-- Writers of managed addresses follow one another from here to their COMMIT.
select pg_advisory_xact_lock(hashtext('managed_ip_cap'));

-- name: count_managed$
-- Counting ends at the cap, so a large database costs no more than a large cap.
select count(*) from (
  (select from reservation limit :at_most::integer) union all (select from assignment limit :at_most::integer)
) as managed;
