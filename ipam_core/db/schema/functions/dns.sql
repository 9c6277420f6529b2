create or replace function note_dns_records() returns trigger language plpgsql as $$
begin
  if tg_op <> 'INSERT' then
    insert into dns_change (zone_no, name) select distinct zone_no, name from old_records;
  end if;
  if tg_op <> 'DELETE' then
    insert into dns_change (zone_no, name) select distinct zone_no, name from new_records;
  end if;
  notify dns_change;
  return null;
end
$$;
create or replace trigger dns_record_inserted after insert on dns_record referencing new table as new_records
  for each statement execute function note_dns_records();
create or replace trigger dns_record_updated after update on dns_record
  referencing old table as old_records new table as new_records
  for each statement execute function note_dns_records();
create or replace trigger dns_record_deleted after delete on dns_record referencing old table as old_records
  for each statement execute function note_dns_records();

create or replace function note_dns_zone() returns trigger language plpgsql as $$
begin
  insert into dns_change (zone_no) values (coalesce(new.no, old.no));
  notify dns_change;
  return null;
end
$$;
create or replace trigger dns_zone_written after insert or delete on dns_zone for each row execute function note_dns_zone();
create or replace trigger dns_zone_updated after update on dns_zone for each row
  when (old.* is distinct from new.*) execute function note_dns_zone();

-- Whether a name lies below a zone. The first condition is cheap and turns most names away.
create or replace function dns_is_below(name text, zone text) returns boolean
language sql immutable strict parallel safe as $$
  select right(name, length(zone) + 1) = '.' || zone and zone = any(dns_names_above(name))
$$;

-- A record's owner in full, and back; the zone's own name is @.
create or replace function dns_full_name(owner text, zone text) returns text
language sql immutable strict parallel safe as $$
  select case owner when '@' then zone else owner || '.' || zone end
$$;

create or replace function dns_owner(name text, zone text) returns text
language sql immutable strict parallel safe as $$
  select case name when zone then '@' else left(name, -length(zone) - 1) end
$$;
