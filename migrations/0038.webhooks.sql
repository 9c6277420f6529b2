-- depends: 0037.kerberos

-- What delivers webhooks, and what the stream of events is read by.

-- How far the stream has been read (services/event_stream.py), as that writes it; transactions that were running then
-- would be lost by a number alone.
alter table worker_cursor add column position text;

-- Lists of events go through the logs by time; a block range index costs writers next to nothing.
create index change_by_at on change using brin (at) with (autosummarize = on);

-- One worker at a time sends to an endpoint, so that what it gets is in order; one that dies leaves it to another.
alter table webhook
  add column claimed_until timestamptz,
  -- After silence it is left alone for a while, longer each time.
  add column rests_until timestamptz,
  add column failures integer not null default 0,
  -- Sealed by ipam_core.secrets: the secret before, by which messages are signed too until then.
  add column previous_secret bytea,
  add column previous_secret_until timestamptz;

alter table webhook_delivery
  -- The event's id, by which a receiver knows what it has got already; null: the delivery's own.
  add column message_id text,
  add column latency_ms integer,
  -- The beginning of what was answered.
  add column response text;
drop index webhook_delivery_due;
create index webhook_delivery_due on webhook_delivery (webhook_no, next_attempt_at, no) where state in ('pending', 'failed');
create index webhook_delivery_done on webhook_delivery (updated_at) where state in ('delivered', 'dead');

-- A node that fell silent was told of.
alter table node add column down_at timestamptz;

-- Events of nodes, raised with the heartbeat that brings them, by whichever version of a server writes it.
create function tell_node() returns trigger language plpgsql as $$
declare
  told text := case new.state when 'ready' then 'node.up' when 'degraded' then 'node.degraded' end;
begin
  if new.heartbeat_at > old.heartbeat_at then
    new.down_at := null;
  end if;
  if told is not null and (old.state <> new.state or new.down_at is distinct from old.down_at) then
    insert into event (id, type, data) values (gen_random_uuid(), told, jsonb_build_object(
      'node_id', new.id, 'name', new.name, 'role', new.role, 'version', new.version, 'detail', new.detail));
  end if;
  return new;
end
$$;
create trigger node_told before update on node for each row
  when (old.state is distinct from new.state or old.down_at is not null) execute function tell_node();
