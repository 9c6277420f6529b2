-- depends: 0051.redaction

-- Limits of a tenant: what a global admin has set. A missing member means the default, 0 means no limit.
alter table tenant add column limits jsonb not null default '{}' check (jsonb_typeof(limits) = 'object');

-- The limits that apply where nothing is set: none for the default tenant.
create function default_limits(of_default_tenant boolean) returns jsonb language sql immutable as $$
  select case when of_default_tenant then '{}'::jsonb else jsonb_build_object(
    'webhooks', 20, 'streams', 200, 'streams_per_token', 10, 'objects_per_family', 100000,
    'deliveries_per_second', 50, 'ddns_updates_per_second', 200) end
$$;

-- The limits that apply: a member that is missing or 0 is no limit.
create function limits_in_force(of_default_tenant boolean, set_limits jsonb) returns jsonb language sql immutable as $$
  select default_limits(of_default_tenant) || set_limits
$$;

-- The limit that applies to a tenant; null: there is none.
create function tenant_limit(of_tenant integer, what text) returns bigint language sql stable as $$
  select nullif((limits_in_force(is_default, limits) ->> what)::bigint, 0) from tenant where no = of_tenant
$$;

-- Objects of each tenant by kind, as sums of differences: every statement that creates or deletes objects appends a row of
-- its own, so no writer waits for another. A writer below a limit folds the rows under a lock.
create table tenant_use (
  tenant_no integer not null,
  kind text not null,
  delta bigint not null
);
create index tenant_use_by_kind on tenant_use (tenant_no, kind);

create function note_use_in_tenant() returns trigger language plpgsql as $$
begin
  insert into tenant_use (tenant_no, kind, delta)
  select tenant_no, tg_argv[0], case tg_op when 'INSERT' then count(*) else - count(*) end
  from affected where tenant_no is not null group by tenant_no;
  return null;
end
$$;

create function note_use_in_subnet() returns trigger language plpgsql as $$
begin
  insert into tenant_use (tenant_no, kind, delta)
  select subnet.tenant_no, tg_argv[0], case tg_op when 'INSERT' then count(*) else - count(*) end
  from affected join subnet on subnet.no = affected.subnet_no group by subnet.tenant_no;
  return null;
end
$$;

-- A reservation belongs to a subnet, or to a tenant as a whole.
create function note_use_of_reservations() returns trigger language plpgsql as $$
begin
  insert into tenant_use (tenant_no, kind, delta)
  select coalesce(affected.tenant_no, subnet.tenant_no), tg_argv[0],
         case tg_op when 'INSERT' then count(*) else - count(*) end
  from affected left join subnet on subnet.no = affected.subnet_no
  group by coalesce(affected.tenant_no, subnet.tenant_no);
  return null;
end
$$;

-- Records that follow a lease, a reservation or an assignment are bounded by what they follow.
create function note_use_of_records() returns trigger language plpgsql as $$
begin
  insert into tenant_use (tenant_no, kind, delta)
  select dns_zone.tenant_no, tg_argv[0], case tg_op when 'INSERT' then count(*) else - count(*) end
  from affected join dns_zone on dns_zone.no = affected.zone_no
  where affected.source = 'static' group by dns_zone.tenant_no;
  return null;
end
$$;

create function note_use_of_changed_record() returns trigger language plpgsql as $$
begin
  insert into tenant_use (tenant_no, kind, delta)
  select tenant_no, tg_argv[0], case new.source when 'static' then 1 else -1 end from dns_zone where no = new.zone_no;
  return null;
end
$$;

-- Revoked tokens remain as rows and do not count.
create function note_use_of_tokens() returns trigger language plpgsql as $$
begin
  insert into tenant_use (tenant_no, kind, delta)
  select tenant_no, tg_argv[0], case tg_op when 'INSERT' then count(*) else - count(*) end
  from affected where tenant_no is not null and revoked_at is null group by tenant_no;
  return null;
end
$$;

create function note_use_of_revoked_token() returns trigger language plpgsql as $$
begin
  insert into tenant_use (tenant_no, kind, delta) values (new.tenant_no, tg_argv[0], -1);
  return null;
end
$$;

create function note_use_of_keys() returns trigger language plpgsql as $$
begin
  insert into tenant_use (tenant_no, kind, delta)
  select token.tenant_no, tg_argv[0], case tg_op when 'INSERT' then count(*) else - count(*) end
  from affected join token on token.id = affected.token_id
  where token.tenant_no is not null group by token.tenant_no;
  return null;
end
$$;

create function forget_use_of_tenants() returns trigger language plpgsql as $$
begin
  delete from tenant_use using affected where tenant_use.tenant_no = affected.no;
  return null;
end
$$;

-- The triggers come before the first count: they lock each table against writers until this step is committed.
do $$
declare
  counted record;
begin
  for counted in select * from (values
    ('prefix', 'prefix', 'note_use_in_tenant'), ('subnet', 'subnet', 'note_use_in_tenant'),
    ('dhcp_option', 'option', 'note_use_in_tenant'),
    ('option_definition', 'option_definition', 'note_use_in_tenant'),
    ('client_class', 'client_class', 'note_use_in_tenant'), ('dns_server', 'dns_server', 'note_use_in_tenant'),
    ('dns_zone', 'dns_zone', 'note_use_in_tenant'), ('webhook', 'webhook', 'note_use_in_tenant'),
    ('pool', 'pool', 'note_use_in_subnet'), ('exclude', 'exclude', 'note_use_in_subnet'),
    ('assignment', 'assignment', 'note_use_in_subnet'),
    ('reservation', 'reservation', 'note_use_of_reservations'), ('dns_record', 'dns_record', 'note_use_of_records'),
    ('token', 'token', 'note_use_of_tokens'), ('idempotency', 'idempotency_key', 'note_use_of_keys'))
    as family (name, kind, noted)
  loop
    execute format(
      'create trigger tenant_use_made after insert on %I referencing new table as affected
       for each statement execute function %I(%L)', counted.name, counted.noted, counted.kind);
    execute format(
      'create trigger tenant_use_gone after delete on %I referencing old table as affected
       for each statement execute function %I(%L)', counted.name, counted.noted, counted.kind);
  end loop;
end
$$;
create trigger tenant_use_changed after update of source on dns_record for each row
  when ((old.source = 'static') <> (new.source = 'static')) execute function note_use_of_changed_record('dns_record');
create trigger tenant_use_changed after update of revoked_at on token for each row
  when (old.revoked_at is null and new.revoked_at is not null and new.tenant_no is not null)
  execute function note_use_of_revoked_token('token');
create trigger tenant_use_gone after delete on tenant referencing old table as affected
  for each statement execute function forget_use_of_tenants();

insert into tenant_use (tenant_no, kind, delta)
select tenant_no, 'prefix', count(*) from prefix group by tenant_no
union all select tenant_no, 'subnet', count(*) from subnet group by tenant_no
union all select tenant_no, 'option', count(*) from dhcp_option group by tenant_no
union all select tenant_no, 'option_definition', count(*) from option_definition group by tenant_no
union all select tenant_no, 'client_class', count(*) from client_class group by tenant_no
union all select tenant_no, 'dns_server', count(*) from dns_server group by tenant_no
union all select tenant_no, 'dns_zone', count(*) from dns_zone group by tenant_no
union all select tenant_no, 'webhook', count(*) from webhook where tenant_no is not null group by tenant_no
union all select subnet.tenant_no, 'pool', count(*) from pool join subnet on subnet.no = subnet_no group by subnet.tenant_no
union all select subnet.tenant_no, 'exclude', count(*) from exclude join subnet on subnet.no = subnet_no group by subnet.tenant_no
union all select subnet.tenant_no, 'assignment', count(*) from assignment join subnet on subnet.no = subnet_no
  group by subnet.tenant_no
union all select coalesce(reservation.tenant_no, subnet.tenant_no), 'reservation', count(*)
  from reservation left join subnet on subnet.no = subnet_no group by coalesce(reservation.tenant_no, subnet.tenant_no)
union all select dns_zone.tenant_no, 'dns_record', count(*) from dns_record join dns_zone on dns_zone.no = zone_no
  where source = 'static' group by dns_zone.tenant_no
union all select tenant_no, 'token', count(*) from token where tenant_no is not null and revoked_at is null group by tenant_no
union all select token.tenant_no, 'idempotency_key', count(*) from idempotency join token on token.id = token_id
  where token.tenant_no is not null group by token.tenant_no;

-- Objects of a kind that a tenant has. The caller holds the tenant's lock, so nobody else folds the same rows.
create function count_use(of_tenant integer, of_kind text) returns bigint language plpgsql volatile as $$
declare
  used bigint;
  parts bigint;
begin
  select coalesce(sum(delta), 0), count(*) into used, parts from tenant_use where tenant_no = of_tenant and kind = of_kind;
  if parts > 64 then
    with folded as (delete from tenant_use where tenant_no = of_tenant and kind = of_kind returning delta)
    insert into tenant_use select of_tenant, of_kind, sum(delta) from folded having count(*) > 0;
  end if;
  return used;
end
$$;

create function limit_on(kind text) returns text language sql immutable as $$
  select case kind when 'webhook' then 'webhooks' else 'objects_per_family' end
$$;

-- The first of the kinds of which a tenant has more objects than its limit. The lock of a limited tenant lasts until the
-- COMMIT, so of two writers the later one counts the objects of the earlier one. It is the last lock of a transaction.
create function limits_reached(tenants integer[], kinds text[])
returns table (limited_tenant integer, limited_kind text, limit_set bigint, limit_used bigint)
language plpgsql volatile as $$
begin
  for limited_tenant, limited_kind, limit_set in
    select made.tenant_no, made.kind, tenant_limit(made.tenant_no, limit_on(made.kind))
    from (select distinct tenant_no, kind from unnest(tenants, kinds) as each (tenant_no, kind)) as made
    order by 1, 2
  loop
    continue when limit_set is null;
    perform pg_advisory_xact_lock(hashtext('tenant_limit'), limited_tenant);
    limit_used := count_use(limited_tenant, limited_kind);
    if limit_used > limit_set then
      return next;
      return;
    end if;
  end loop;
end
$$;

-- The same for a function that makes one object below a subnet, which knows one answer (see reserve).
create function require_room(in_subnet integer, kind text) returns void language plpgsql volatile as $$
begin
  perform from subnet cross join lateral limits_reached(array[tenant_no], array[kind]) where subnet.no = in_subnet;
  if found then
    raise exception using errcode = 'IP001', message = 'the tenant has reached its limit';
  end if;
end
$$;

-- Folds what no limited writer folds.
create function fold_use() returns void language plpgsql volatile as $$
declare
  many record;
begin
  for many in select tenant_no, kind from tenant_use group by tenant_no, kind having count(*) > 64 order by 1, 2 loop
    perform pg_advisory_xact_lock(hashtext('tenant_limit'), many.tenant_no);
    perform count_use(many.tenant_no, many.kind);
  end loop;
end
$$;

-- Live event streams of all API processes. A process renews its rows; those of one that died are ignored after a minute.
create table live_stream (
  id uuid primary key,
  process uuid not null,
  tenant_no integer not null,
  token_id uuid,
  seen_at timestamptz not null default now()
);
create index live_stream_by_tenant on live_stream (tenant_no);
create index live_stream_by_process on live_stream (process);

-- What a tenant uses of its limits, for people: no lock, since nothing is decided by it. The row's own values are given,
-- because a statement that writes the row shows it too.
create function tenant_usage(of_tenant integer, of_default_tenant boolean, set_limits jsonb)
returns jsonb language sql stable as $$
  select jsonb_build_object(
    'limits', limits_in_force(of_default_tenant, set_limits),
    'streams', (select count(*) from live_stream where tenant_no = of_tenant and seen_at > now() - interval '1 minute'),
    'objects', (select coalesce(jsonb_object_agg(kind, used), '{}') from (
      select kind, sum(delta) as used from tenant_use where tenant_no = of_tenant group by kind) as each))
$$;

-- Pools in which declined addresses stay in service, because a client or a line declines too many: an event an hour.
alter table pool_alert drop constraint pool_alert_type_check;
alter table pool_alert add constraint pool_alert_type_check
  check (type in ('pool.utilization_high', 'pool.exhausted', 'pool.decline_storm'));
