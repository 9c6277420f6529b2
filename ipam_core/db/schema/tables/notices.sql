create table webhook (
  no integer generated always as identity primary key,
  id uuid not null constraint webhook_id_unique unique,
  -- Without a tenant it hears of all.
  tenant_no integer references tenant,
  url text not null,
  description text not null default '',
  -- Empty: all events that are on by default.
  events text[] not null default '{}',
  enabled boolean not null default true,
  disabled_reason text,
  secret bytea not null,
  created_at timestamptz not null default now(),
  updated_at timestamptz not null default now(),
  -- One worker at a time sends to an endpoint, so that what it gets is in order; one that dies leaves it to another.
  claimed_until timestamptz,
  -- After silence it is left alone for a while, longer each time.
  rests_until timestamptz,
  failures integer not null default 0,
  -- Sealed by ipam_core.secrets: the secret before, by which messages are signed too until then.
  previous_secret bytea,
  previous_secret_until timestamptz,
  -- Whether a token limited to a tenant wrote last where the object connects to.
  by_tenant boolean not null default false
);

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

-- Messages of a notification in its current window, and the events beyond the limit, by type. Whoever reads the stream of
-- events writes it, one at a time.
create table notification_window (
  notification_no integer not null references notification on delete cascade,
  began_at timestamptz not null,
  sent integer not null,
  held jsonb not null default '{}',
  -- Messages are bounded for each severity by itself, so that a storm of lesser events hides no outage.
  severity text not null default 'info'
    check (severity in ('info', 'warning', 'critical')),
  primary key (notification_no, severity)
);

-- A delivery belongs to a webhook or to a notification.
create table webhook_delivery (
  no bigint generated always as identity primary key,
  id uuid not null constraint webhook_delivery_id_unique unique,
  webhook_no integer references webhook on delete cascade,
  event text not null,
  payload jsonb not null,
  state text not null default 'pending' check (state in ('pending', 'delivered', 'failed', 'dead')),
  attempts integer not null default 0,
  response_status integer,
  last_error text,
  next_attempt_at timestamptz default now(),
  delivered_at timestamptz,
  created_at timestamptz not null default now(),
  updated_at timestamptz not null default now(),
  -- The event's id, by which a receiver knows what it has got already; null: the delivery's own.
  message_id text,
  latency_ms integer,
  -- The beginning of what was answered.
  response text,
  notification_no integer references notification on delete cascade,
  constraint webhook_delivery_of_one check (num_nonnulls(webhook_no, notification_no) = 1)
);
create index webhook_delivery_by_webhook on webhook_delivery (webhook_no, no);
create index webhook_delivery_due on webhook_delivery (webhook_no, next_attempt_at, no) where state in ('pending', 'failed');
create index webhook_delivery_done on webhook_delivery (updated_at) where state in ('delivered', 'dead');
-- Deliveries of a state over all webhooks, in the order of their list: what was given up is few among many.
create index webhook_delivery_by_state on webhook_delivery (state, no);
create index webhook_delivery_by_notification on webhook_delivery (notification_no, no) where notification_no is not null;
create index webhook_delivery_due_notification on webhook_delivery (notification_no, next_attempt_at, no)
  where state in ('pending', 'failed') and notification_no is not null;
