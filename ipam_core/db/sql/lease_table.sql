-- name: read_room()^
-- How full pages are packed, in percent, and the rows in times of the addresses that pools can give (null while these
-- are not counted). PostgreSQL knows the rows from its last look at the table.
select
  (select option_value::integer from pg_options_to_table(reloptions) where option_name = 'fillfactor') as packed,
  (reltuples / (select nullif(sum(total - excluded), 0) from usage where pool_no <> 0))::float8 as share
from pg_class where oid = 'lease'::regclass;
