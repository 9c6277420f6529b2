-- The limits that apply where nothing is set: none for the default tenant.
create or replace function default_limits(of_default_tenant boolean) returns jsonb language sql immutable as $$
  select case when of_default_tenant then '{}'::jsonb else jsonb_build_object(
    'webhooks', 20, 'streams', 200, 'streams_per_token', 10, 'objects_per_family', 100000,
    'deliveries_per_second', 50, 'ddns_updates_per_second', 200) end
$$;

-- The limits that apply: a member that is missing or 0 is no limit.
create or replace function limits_in_force(of_default_tenant boolean, set_limits jsonb) returns jsonb language sql immutable as $$
  select default_limits(of_default_tenant) || set_limits
$$;

-- The limit that applies to a tenant; null: there is none.
create or replace function tenant_limit(of_tenant integer, what text) returns bigint language sql stable as $$
  select nullif((limits_in_force(is_default, limits) ->> what)::bigint, 0) from tenant where no = of_tenant
$$;

create or replace function limit_on(kind text) returns text language sql immutable as $$
  select case when kind in ('webhook', 'notification') then 'webhooks' else 'objects_per_family' end
$$;

create or replace function note_use_in_tenant() returns trigger language plpgsql as $$
begin
  insert into tenant_use (tenant_no, kind, delta)
  select tenant_no, tg_argv[0], case tg_op when 'INSERT' then count(*) else - count(*) end
  from affected where tenant_no is not null group by tenant_no;
  return null;
end
$$;
create or replace trigger tenant_use_made after insert on notification referencing new table as affected
  for each statement execute function note_use_in_tenant('notification');
create or replace trigger tenant_use_gone after delete on notification referencing old table as affected
  for each statement execute function note_use_in_tenant('notification');
create or replace trigger tenant_use_made after insert on prefix referencing new table as affected
  for each statement execute function note_use_in_tenant('prefix');
create or replace trigger tenant_use_gone after delete on prefix referencing old table as affected
  for each statement execute function note_use_in_tenant('prefix');
create or replace trigger tenant_use_made after insert on subnet referencing new table as affected
  for each statement execute function note_use_in_tenant('subnet');
create or replace trigger tenant_use_gone after delete on subnet referencing old table as affected
  for each statement execute function note_use_in_tenant('subnet');
create or replace trigger tenant_use_made after insert on dhcp_option referencing new table as affected
  for each statement execute function note_use_in_tenant('option');
create or replace trigger tenant_use_gone after delete on dhcp_option referencing old table as affected
  for each statement execute function note_use_in_tenant('option');
create or replace trigger tenant_use_made after insert on option_definition referencing new table as affected
  for each statement execute function note_use_in_tenant('option_definition');
create or replace trigger tenant_use_gone after delete on option_definition referencing old table as affected
  for each statement execute function note_use_in_tenant('option_definition');
create or replace trigger tenant_use_made after insert on client_class referencing new table as affected
  for each statement execute function note_use_in_tenant('client_class');
create or replace trigger tenant_use_gone after delete on client_class referencing old table as affected
  for each statement execute function note_use_in_tenant('client_class');
create or replace trigger tenant_use_made after insert on dns_server referencing new table as affected
  for each statement execute function note_use_in_tenant('dns_server');
create or replace trigger tenant_use_gone after delete on dns_server referencing old table as affected
  for each statement execute function note_use_in_tenant('dns_server');
create or replace trigger tenant_use_made after insert on dns_zone referencing new table as affected
  for each statement execute function note_use_in_tenant('dns_zone');
create or replace trigger tenant_use_gone after delete on dns_zone referencing old table as affected
  for each statement execute function note_use_in_tenant('dns_zone');
create or replace trigger tenant_use_made after insert on webhook referencing new table as affected
  for each statement execute function note_use_in_tenant('webhook');
create or replace trigger tenant_use_gone after delete on webhook referencing old table as affected
  for each statement execute function note_use_in_tenant('webhook');

create or replace function note_use_in_subnet() returns trigger language plpgsql as $$
begin
  insert into tenant_use (tenant_no, kind, delta)
  select subnet.tenant_no, tg_argv[0], case tg_op when 'INSERT' then count(*) else - count(*) end
  from affected join subnet on subnet.no = affected.subnet_no group by subnet.tenant_no;
  return null;
end
$$;
create or replace trigger tenant_use_made after insert on pool referencing new table as affected
  for each statement execute function note_use_in_subnet('pool');
create or replace trigger tenant_use_gone after delete on pool referencing old table as affected
  for each statement execute function note_use_in_subnet('pool');
create or replace trigger tenant_use_made after insert on exclude referencing new table as affected
  for each statement execute function note_use_in_subnet('exclude');
create or replace trigger tenant_use_gone after delete on exclude referencing old table as affected
  for each statement execute function note_use_in_subnet('exclude');
create or replace trigger tenant_use_made after insert on assignment referencing new table as affected
  for each statement execute function note_use_in_subnet('assignment');
create or replace trigger tenant_use_gone after delete on assignment referencing old table as affected
  for each statement execute function note_use_in_subnet('assignment');

-- A reservation belongs to a subnet, or to a tenant as a whole.
create or replace function note_use_of_reservations() returns trigger language plpgsql as $$
begin
  insert into tenant_use (tenant_no, kind, delta)
  select coalesce(affected.tenant_no, subnet.tenant_no), tg_argv[0],
         case tg_op when 'INSERT' then count(*) else - count(*) end
  from affected left join subnet on subnet.no = affected.subnet_no
  group by coalesce(affected.tenant_no, subnet.tenant_no);
  return null;
end
$$;
create or replace trigger tenant_use_made after insert on reservation referencing new table as affected
  for each statement execute function note_use_of_reservations('reservation');
create or replace trigger tenant_use_gone after delete on reservation referencing old table as affected
  for each statement execute function note_use_of_reservations('reservation');

-- Records that follow a lease, a reservation or an assignment are bounded by what they follow.
create or replace function note_use_of_records() returns trigger language plpgsql as $$
begin
  insert into tenant_use (tenant_no, kind, delta)
  select dns_zone.tenant_no, tg_argv[0], case tg_op when 'INSERT' then count(*) else - count(*) end
  from affected join dns_zone on dns_zone.no = affected.zone_no
  where affected.source = 'static' group by dns_zone.tenant_no;
  return null;
end
$$;
create or replace trigger tenant_use_made after insert on dns_record referencing new table as affected
  for each statement execute function note_use_of_records('dns_record');
create or replace trigger tenant_use_gone after delete on dns_record referencing old table as affected
  for each statement execute function note_use_of_records('dns_record');

create or replace function note_use_of_changed_record() returns trigger language plpgsql as $$
begin
  insert into tenant_use (tenant_no, kind, delta)
  select tenant_no, tg_argv[0], case new.source when 'static' then 1 else -1 end from dns_zone where no = new.zone_no;
  return null;
end
$$;
create or replace trigger tenant_use_changed after update of source on dns_record for each row
  when ((old.source = 'static') <> (new.source = 'static')) execute function note_use_of_changed_record('dns_record');

-- Revoked tokens remain as rows and do not count.
create or replace function note_use_of_tokens() returns trigger language plpgsql as $$
begin
  insert into tenant_use (tenant_no, kind, delta)
  select tenant_no, tg_argv[0], case tg_op when 'INSERT' then count(*) else - count(*) end
  from affected where tenant_no is not null and revoked_at is null group by tenant_no;
  return null;
end
$$;
create or replace trigger tenant_use_made after insert on token referencing new table as affected
  for each statement execute function note_use_of_tokens('token');
create or replace trigger tenant_use_gone after delete on token referencing old table as affected
  for each statement execute function note_use_of_tokens('token');

create or replace function note_use_of_revoked_token() returns trigger language plpgsql as $$
begin
  insert into tenant_use (tenant_no, kind, delta) values (new.tenant_no, tg_argv[0], -1);
  return null;
end
$$;
create or replace trigger tenant_use_changed after update of revoked_at on token for each row
  when (old.revoked_at is null and new.revoked_at is not null and new.tenant_no is not null)
  execute function note_use_of_revoked_token('token');

create or replace function note_use_of_keys() returns trigger language plpgsql as $$
begin
  insert into tenant_use (tenant_no, kind, delta)
  select token.tenant_no, tg_argv[0], case tg_op when 'INSERT' then count(*) else - count(*) end
  from affected join token on token.id = affected.token_id
  where token.tenant_no is not null group by token.tenant_no;
  return null;
end
$$;
create or replace trigger tenant_use_made after insert on idempotency referencing new table as affected
  for each statement execute function note_use_of_keys('idempotency_key');
create or replace trigger tenant_use_gone after delete on idempotency referencing old table as affected
  for each statement execute function note_use_of_keys('idempotency_key');

create or replace function forget_use_of_tenants() returns trigger language plpgsql as $$
begin
  delete from tenant_use using affected where tenant_use.tenant_no = affected.no;
  return null;
end
$$;
create or replace trigger tenant_use_gone after delete on tenant referencing old table as affected
  for each statement execute function forget_use_of_tenants();

-- Objects of a kind that a tenant has. The caller holds the tenant's lock, so nobody else folds the same rows.
create or replace function count_use(of_tenant integer, of_kind text) returns bigint language plpgsql volatile as $$
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

-- The first of the kinds of which a tenant has more objects than its limit. The lock of a limited tenant lasts until the
-- COMMIT, so of two writers the later one counts the objects of the earlier one. It is the last lock of a transaction.
create or replace function limits_reached(tenants integer[], kinds text[])
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
create or replace function require_room(in_subnet integer, kind text) returns void language plpgsql volatile as $$
begin
  perform from subnet cross join lateral limits_reached(array[tenant_no], array[kind]) where subnet.no = in_subnet;
  if found then
    raise exception using errcode = 'IP001', message = 'the tenant has reached its limit';
  end if;
end
$$;

-- Folds what no limited writer folds.
create or replace function fold_use() returns void language plpgsql volatile as $$
declare
  many record;
begin
  for many in select tenant_no, kind from tenant_use group by tenant_no, kind having count(*) > 64 order by 1, 2 loop
    perform pg_advisory_xact_lock(hashtext('tenant_limit'), many.tenant_no);
    perform count_use(many.tenant_no, many.kind);
  end loop;
end
$$;

-- What a tenant uses of its limits, for people: no lock, since nothing is decided by it. The row's own values are given,
-- because a statement that writes the row shows it too.
create or replace function tenant_usage(of_tenant integer, of_default_tenant boolean, set_limits jsonb)
returns jsonb language sql stable as $$
  select jsonb_build_object(
    'limits', limits_in_force(of_default_tenant, set_limits),
    'streams', (select count(*) from live_stream where tenant_no = of_tenant and seen_at > now() - interval '1 minute'),
    'objects', (select coalesce(jsonb_object_agg(kind, used), '{}') from (
      select kind, sum(delta) as used from tenant_use where tenant_no = of_tenant group by kind) as each))
$$;
