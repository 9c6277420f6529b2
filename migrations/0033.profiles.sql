-- depends: 0032.ddns

-- Reservations without an address (profiles: host name, options, class), and reservations without a subnet, which hold in
-- all subnets of their tenant and never have an address. A server of the version before reads those of subnets alone, as
-- long as it serves; it knows profiles beside prefixes.
alter table reservation
  alter column subnet_no drop not null,
  add column tenant_no integer references tenant,
  drop constraint reservation_of_something,
  add constraint reservation_somewhere check (num_nonnulls(subnet_no, tenant_no) = 1),
  add constraint reservation_of_tenant_without_address check (tenant_no is null or num_nonnulls(ip, prefix) = 0);
create unique index reservation_tenant_mac_unique on reservation (tenant_no, mac) where tenant_no is not null;
create unique index reservation_tenant_duid_unique on reservation (tenant_no, duid) where tenant_no is not null;
create unique index reservation_tenant_client_id_unique on reservation (tenant_no, client_id)
  where tenant_no is not null;
create unique index reservation_tenant_circuit_id_unique on reservation (tenant_no, circuit_id)
  where tenant_no is not null;
create unique index reservation_tenant_remote_id_unique on reservation (tenant_no, remote_id)
  where tenant_no is not null;
create unique index reservation_tenant_subscriber_id_unique on reservation (tenant_no, subscriber_id)
  where tenant_no is not null;

-- What has no address does not count towards the cap; one that gets or loses its address does from then on, or no more.
create function note_managed_reservations() returns trigger language plpgsql as $$
begin
  insert into managed_change
  select sum(sign) from (
    select case tg_op when 'DELETE' then -1 else 1 end as sign from affected where num_nonnulls(ip, prefix) > 0
  ) as counted having count(*) > 0;
  return null;
end
$$;
create function note_moved_reservations() returns trigger language plpgsql as $$
declare
  difference bigint := (select count(*) from present where num_nonnulls(ip, prefix) > 0)
    - (select count(*) from past where num_nonnulls(ip, prefix) > 0);
begin
  if difference <> 0 then
    insert into managed_change values (difference);
  end if;
  return null;
end
$$;
drop trigger reservation_made on reservation;
drop trigger reservation_gone on reservation;
create trigger reservation_made after insert on reservation referencing new table as affected
  for each statement execute function note_managed_reservations();
create trigger reservation_gone after delete on reservation referencing old table as affected
  for each statement execute function note_managed_reservations();
create trigger reservation_counted after update on reservation referencing old table as past new table as present
  for each statement execute function note_moved_reservations();
