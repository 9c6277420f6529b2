-- depends: 0065.secondary_states

-- Notifications for people: chat messages and mails, made of the events that webhooks receive.
create table notification (
  no integer generated always as identity primary key,
  id uuid not null constraint notification_id_unique unique,
  -- Null: events of all tenants.
  tenant_no integer references tenant,
  name text not null,
  kind text not null check (kind in ('slack', 'teams', 'mattermost', 'ntfy', 'mail')),
  description text not null default '',
  enabled boolean not null default true,
  -- Why the service disabled it.
  disabled_reason text,
  url text,
  topic text,
  priority integer,
  recipients text[] not null default '{}',
  -- Empty: those that need attention.
  events text[] not null default '{}',
  severity text not null default 'info' check (severity in ('info', 'warning', 'critical')),
  networks cidr[] not null default '{}',
  zones text[] not null default '{}',
  -- Whether a token limited to a tenant wrote last where it is sent.
  by_tenant boolean not null default false,
  -- As those of webhook: one worker at a time sends, and a silent target rests.
  claimed_until timestamptz,
  rests_until timestamptz,
  failures integer not null default 0,
  created_at timestamptz not null default now(),
  updated_at timestamptz not null default now(),
  constraint notification_name_unique unique nulls not distinct (tenant_no, name) deferrable
);

create trigger tenant_use_made after insert on notification referencing new table as affected
  for each statement execute function note_use_in_tenant('notification');
create trigger tenant_use_gone after delete on notification referencing old table as affected
  for each statement execute function note_use_in_tenant('notification');

create or replace function limit_on(kind text) returns text language sql immutable as $$
  select case when kind in ('webhook', 'notification') then 'webhooks' else 'objects_per_family' end
$$;

-- Messages of a notification in its current window, and the events beyond the limit, by type. Whoever reads the stream of
-- events writes it, one at a time.
create table notification_window (
  notification_no integer primary key references notification on delete cascade,
  began_at timestamptz not null,
  sent integer not null,
  held jsonb not null default '{}'
);

-- A delivery belongs to a webhook or to a notification. The version before sees those of webhooks only.
alter table webhook_delivery
  alter column webhook_no drop not null,
  add column notification_no integer references notification on delete cascade,
  add constraint webhook_delivery_of_one check (num_nonnulls(webhook_no, notification_no) = 1) not valid;
create index webhook_delivery_by_notification on webhook_delivery (notification_no, no) where notification_no is not null;
create index webhook_delivery_due_notification on webhook_delivery (notification_no, next_attempt_at, no)
  where state in ('pending', 'failed') and notification_no is not null;
