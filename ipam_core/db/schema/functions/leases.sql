-- A day's partition of lease_event is made as a table of its own and attached. Created as a partition it would lock the
-- history against everybody (ACCESS EXCLUSIVE): a dump that reads it would keep every writer of leases waiting behind
-- the new day. To attach takes SHARE UPDATE EXCLUSIVE, which neither readers nor writers mind; indexes and the triggers
-- of rows come with it. Who meets another change of the table waits for two seconds and fails: it is tried again.
create or replace function make_lease_event_partition(day date) returns boolean language plpgsql set lock_timeout = '2s' as $$
declare
  name text := 'lease_event_' || to_char(day, 'YYYYMMDD');
begin
  perform pg_advisory_xact_lock(hashtext('make_lease_event_partitions'));
  if exists (select from pg_inherits where inhparent = 'lease_event'::regclass and inhrelid = to_regclass(name)
             and not inhdetachpending) then
    return false;
  end if;
  if to_regclass(name) is null then
    execute format('create table %I (like lease_event including all excluding indexes)', name);
  end if;
  execute format('alter table lease_event attach partition %I for values from (%L) to (%L)',
    name, day::timestamp at time zone 'UTC', (day + 1)::timestamp at time zone 'UTC');
  return true;
end
$$;

-- Yesterday's partition to that of `days` ahead: those that do not exist yet; says how many were made.
create or replace function make_lease_event_partitions(days integer) returns integer language sql as $$
  select count(*)::integer
  from generate_series((now() at time zone 'UTC')::date - 1, (now() at time zone 'UTC')::date + days, interval '1 day') d
  where make_lease_event_partition(d::date);
$$;

-- Is the subnet still the one under which it was decided? Volatile: it sees what was committed until now, also where the
-- statement that asks began before and waited for a row.
create or replace function fence_holds(subnet_no integer, fence bigint) returns boolean language plpgsql volatile as $$
begin
  return exists (select from subnet s where s.no = $1 and s.fence <= $2);
end
$$;
