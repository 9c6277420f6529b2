-- Which of the texts contains the text or the digits, counted from one; null: none does.
create or replace function search_place(texts text[], wanted text, digits text) returns bigint
language sql immutable parallel safe as $$
  select min(place) from unnest(texts) with ordinality as each (text, place)
  where strpos(each.text, wanted) > 0 or strpos(each.text, digits) > 0
$$;

-- Planned for each question, because the trigrams determine how much there is to read.

-- Leases one of whose texts contains what is asked for, `most` at most, of one tenant or all (null). The question has
-- `text` and `digits`, null where they cannot be meant, and the trigrams of each.
create or replace function found_leases(question jsonb, of_tenant integer, most integer)
returns table (tenant_no integer, address inet, place bigint) language plpgsql stable rows 20
set plan_cache_mode = force_custom_plan set enable_seqscan = off as $$
#variable_conflict use_column
declare
  wanted integer[] := array(select jsonb_array_elements_text(question -> 'grams'))::integer[];
  wanted_digits integer[] := array(select jsonb_array_elements_text(question -> 'digit_grams'))::integer[];
begin
  return query select found.tenant_no, found.address, found.place from (
    select s.tenant_no, s.address, search_place(s.texts, question ->> 'text', question ->> 'digits') as place
    from search_lease s
    where (s.grams @> nullif(wanted, '{}') or s.grams @> nullif(wanted_digits, '{}'))
      and (of_tenant is null or s.tenant_no = of_tenant)) as found
  where found.place is not null limit most;
end $$;

-- The same of objects.
create or replace function found_objects(question jsonb, most integer)
returns table (id uuid, place bigint) language plpgsql stable rows 20
set plan_cache_mode = force_custom_plan set enable_seqscan = off as $$
#variable_conflict use_column
declare
  wanted integer[] := array(select jsonb_array_elements_text(question -> 'grams'))::integer[];
  wanted_digits integer[] := array(select jsonb_array_elements_text(question -> 'digit_grams'))::integer[];
begin
  return query select found.id, found.place from (
    select s.id, search_place(s.texts, question ->> 'text', question ->> 'digits') as place
    from search_object s
    where s.grams @> nullif(wanted, '{}') or s.grams @> nullif(wanted_digits, '{}')) as found
  where found.place is not null limit most;
end $$;

-- What is deleted is found no more, and leaves nothing behind.
create or replace function forget_search_leases() returns trigger language plpgsql as $$
begin
  delete from search_lease s using gone where s.tenant_no = gone.tenant_no and s.address = gone.address;
  return null;
end $$;
create or replace trigger lease_forgotten after delete on lease referencing old table as gone
  for each statement execute function forget_search_leases();

create or replace function forget_search_objects() returns trigger language plpgsql as $$
begin
  delete from search_object s using gone where s.id = gone.id;
  return null;
end $$;
create or replace trigger prefix_forgotten after delete on prefix referencing old table as gone
  for each statement execute function forget_search_objects();
create or replace trigger subnet_forgotten after delete on subnet referencing old table as gone
  for each statement execute function forget_search_objects();
create or replace trigger pool_forgotten after delete on pool referencing old table as gone
  for each statement execute function forget_search_objects();
create or replace trigger reservation_forgotten after delete on reservation referencing old table as gone
  for each statement execute function forget_search_objects();
create or replace trigger assignment_forgotten after delete on assignment referencing old table as gone
  for each statement execute function forget_search_objects();
create or replace trigger dns_zone_forgotten after delete on dns_zone referencing old table as gone
  for each statement execute function forget_search_objects();
create or replace trigger dns_record_forgotten after delete on dns_record referencing old table as gone
  for each statement execute function forget_search_objects();
