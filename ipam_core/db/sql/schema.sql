-- Which migrations the database has had, by yoyo's own table, and which of them builds that do not know them live with.

-- name: find_records()^
-- A database that was never migrated has neither table.
select to_regclass('_yoyo_migration') is not null as steps, to_regclass('additive_step') is not null as additive;

-- name: read_steps()
-- A process serves only a schema that it knows: each step by name, in order.
select migration_id as name from _yoyo_migration order by migration_id;

-- name: read_additive()
-- In an upgrade a process of the version before may have to start again, after the steps that it can live with.
select name from additive_step;
