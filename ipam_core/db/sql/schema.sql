-- Which migrations the database has had, by yoyo's own table.

-- name: is_recorded()$
-- A database that was never migrated has no such table.
select to_regclass('_yoyo_migration') is not null;

-- name: read_steps()
-- A process serves only a schema that it knows: each step by name, in order.
select migration_id as name from _yoyo_migration order by migration_id;
