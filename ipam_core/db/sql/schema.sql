-- Which steps and which texts of functions and views the database has.

-- name: find_records()^
-- A database that was never migrated has no list of steps; one of a version before 0.2.0 has another list.
select to_regclass('schema_step') is not null as steps, to_regclass('_yoyo_migration') is not null as before;

-- name: read_steps()
-- A process serves only a schema that it knows: each step by name, each file of code by checksum and release.
select name, additive, checksum, release from schema_step;
