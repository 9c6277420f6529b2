create or replace function note_managed() returns trigger language plpgsql as $$
begin
  insert into managed_change
  select case tg_op when 'INSERT' then count(*) else - count(*) end from affected having count(*) > 0;
  return null;
end
$$;
create or replace trigger assignment_made after insert on assignment referencing new table as affected
  for each statement execute function note_managed();
create or replace trigger assignment_gone after delete on assignment referencing old table as affected
  for each statement execute function note_managed();

-- What has no address does not count towards the cap; one that gets or loses its address does from then on, or no more.
create or replace function note_managed_reservations() returns trigger language plpgsql as $$
begin
  insert into managed_change
  select sum(sign) from (
    select case tg_op when 'DELETE' then -1 else 1 end as sign from affected where num_nonnulls(ip, prefix) > 0
  ) as counted having count(*) > 0;
  return null;
end
$$;
create or replace trigger reservation_made after insert on reservation referencing new table as affected
  for each statement execute function note_managed_reservations();
create or replace trigger reservation_gone after delete on reservation referencing old table as affected
  for each statement execute function note_managed_reservations();

create or replace function note_moved_reservations() returns trigger language plpgsql as $$
declare
  difference bigint := (select count(*) from present where num_nonnulls(ip, prefix) > 0)
    - (select count(*) from past where num_nonnulls(ip, prefix) > 0);
begin
  if difference <> 0 then
    insert into managed_change values (difference);
  end if;
  return null;
end
$$;
create or replace trigger reservation_counted after update on reservation referencing old table as past new table as present
  for each statement execute function note_moved_reservations();

-- The sum as the last of the writers under a cap sees it: the lock lasts until the COMMIT, and the look behind it sees
-- what was committed by those before. It is the last lock of a transaction, so nobody waits for long.
create or replace function count_managed() returns bigint language plpgsql volatile as $$
declare
  managed bigint;
  parts bigint;
begin
  perform pg_advisory_xact_lock(hashtext('managed_ip_cap'));
  select sum(delta), count(*) into managed, parts from managed_change;
  if parts > 64 then
    with folded as (delete from managed_change returning delta)
    insert into managed_change select sum(delta) from folded;
  end if;
  return managed;
end
$$;
