-- Events of nodes, raised with the heartbeat that brings them, by whichever version of a server writes it.
create or replace function tell_node() returns trigger language plpgsql as $$
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
create or replace trigger node_told before update on node for each row
  when (old.state is distinct from new.state or old.down_at is not null) execute function tell_node();
