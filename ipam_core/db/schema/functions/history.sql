-- History is append-only; lease_event ages by dropping whole partitions.
create or replace function refuse_rewriting() returns trigger language plpgsql as $$
begin
  raise exception '% is append-only', tg_argv[0] using errcode = 'insufficient_privilege';
end
$$;
create or replace trigger change_no_truncate before truncate on change
  for each statement execute function refuse_rewriting('change');
create or replace trigger lease_event_append_only before update or delete on lease_event
  for each row execute function refuse_rewriting('lease_event');
create or replace trigger lease_event_no_truncate before truncate on lease_event
  for each statement execute function refuse_rewriting('lease_event');
create or replace trigger change_append_only before update on change
  for each row execute function refuse_rewriting('change');

create or replace function refuse_forgetting() returns trigger language plpgsql as $$
begin
  if pg_trigger_depth() > 1 then
    return old;
  end if;
  raise exception '% is append-only', tg_argv[0] using errcode = 'insufficient_privilege';
end
$$;
create or replace trigger change_forgotten_in_order before delete on change
  for each row execute function refuse_forgetting('change');

-- Numbers rise with time but for transactions that overlap, so the oldest stand at the beginning of the key.
create or replace function forget_changes() returns trigger language plpgsql as $$
begin
  with gone as (
    delete from change
    where no in (select no from change order by no limit new.at_most) and at < now() - make_interval(days => new.days)
    returning no
  )
  select count(*), greatest(old.last_no, max(no)) into new.forgotten, new.last_no from gone;
  new.forgotten_in_all := old.forgotten_in_all + new.forgotten;
  new.ran_at := now();
  return new;
end
$$;
create or replace trigger audit_retention_forgets before update on audit_retention
  for each row execute function forget_changes();
