-- depends: 0006.search

-- The audit trail may be given an end: rows older than so many days. They go by an update of audit_retention and by
-- nothing else, since a row of change can be deleted only inside a trigger, and this one is the only one that does.
-- The row remembers how much has been forgotten, and up to where.
create table audit_retention (
  only_row boolean primary key default true check (only_row),
  days integer not null check (days >= 1),
  at_most integer not null check (at_most between 1 and 100000),
  forgotten integer not null default 0,
  forgotten_in_all bigint not null default 0,
  last_no bigint,
  ran_at timestamptz
);
insert into audit_retention (days, at_most) values (36500, 1);

-- Numbers rise with time but for transactions that overlap, so the oldest stand at the beginning of the key.
create function forget_changes() returns trigger language plpgsql as $$
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
create trigger audit_retention_forgets before update on audit_retention
  for each row execute function forget_changes();

create function refuse_forgetting() returns trigger language plpgsql as $$
begin
  if pg_trigger_depth() > 1 then
    return old;
  end if;
  raise exception '% is append-only', tg_argv[0] using errcode = 'insufficient_privilege';
end
$$;
drop trigger change_append_only on change;
create trigger change_append_only before update on change
  for each row execute function refuse_rewriting('change');
create trigger change_forgotten_in_order before delete on change
  for each row execute function refuse_forgetting('change');
