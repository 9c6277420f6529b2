-- depends: 0058.zone_serials

-- Objects may exchange addresses, names and identifiers within one transaction, which then has these constraints judged
-- at its end; all others have them judged at each statement, as before. The indexes are built again: 1 s for 100,000
-- reservations, 0.1 s for as many rows of another table. Left out are those that an `on conflict` names or may meet, for PostgreSQL takes no deferrable
-- constraint there, and those of overlaps: a GiST index of 100,000 networks takes a minute, during which nobody could
-- read them.
alter table client_class
  drop constraint client_class_name_unique,
  add constraint client_class_name_unique unique (tenant_no, name) deferrable;

alter table reservation
  drop constraint reservation_ip_unique,
  add constraint reservation_ip_unique unique (subnet_no, ip) deferrable,
  drop constraint reservation_mac_unique,
  add constraint reservation_mac_unique unique (subnet_no, mac) deferrable,
  drop constraint reservation_duid_unique,
  add constraint reservation_duid_unique unique (subnet_no, duid) deferrable,
  drop constraint reservation_client_id_unique,
  add constraint reservation_client_id_unique unique (subnet_no, client_id) deferrable,
  drop constraint reservation_circuit_id_unique,
  add constraint reservation_circuit_id_unique unique (subnet_no, circuit_id) deferrable,
  drop constraint reservation_remote_id_unique,
  add constraint reservation_remote_id_unique unique (subnet_no, remote_id) deferrable,
  drop constraint reservation_subscriber_id_unique,
  add constraint reservation_subscriber_id_unique unique (subnet_no, subscriber_id) deferrable;

-- An index by itself is judged at once, and a unique constraint has no condition.
drop index reservation_tenant_mac_unique, reservation_tenant_duid_unique, reservation_tenant_client_id_unique,
  reservation_tenant_circuit_id_unique, reservation_tenant_remote_id_unique, reservation_tenant_subscriber_id_unique;
alter table reservation
  add constraint reservation_tenant_mac_unique exclude using btree (tenant_no with =, mac with =)
    where (tenant_no is not null and mac is not null) deferrable,
  add constraint reservation_tenant_duid_unique exclude using btree (tenant_no with =, duid with =)
    where (tenant_no is not null and duid is not null) deferrable,
  add constraint reservation_tenant_client_id_unique exclude using btree (tenant_no with =, client_id with =)
    where (tenant_no is not null and client_id is not null) deferrable,
  add constraint reservation_tenant_circuit_id_unique exclude using btree (tenant_no with =, circuit_id with =)
    where (tenant_no is not null and circuit_id is not null) deferrable,
  add constraint reservation_tenant_remote_id_unique exclude using btree (tenant_no with =, remote_id with =)
    where (tenant_no is not null and remote_id is not null) deferrable,
  add constraint reservation_tenant_subscriber_id_unique exclude using btree (tenant_no with =, subscriber_id with =)
    where (tenant_no is not null and subscriber_id is not null) deferrable;

alter table assignment
  drop constraint assignment_ip_unique,
  add constraint assignment_ip_unique unique (subnet_no, ip) deferrable;

alter table dhcp_option
  drop constraint dhcp_option_unique,
  add constraint dhcp_option_unique unique nulls not distinct
    (tenant_no, subnet_no, pool_no, class_no, reservation_no, family, code, vendor_class) deferrable;

alter table option_definition
  drop constraint option_definition_code_unique,
  add constraint option_definition_code_unique unique nulls not distinct (tenant_no, family, code, vendor_space) deferrable,
  drop constraint option_definition_name_unique,
  add constraint option_definition_name_unique unique nulls not distinct (tenant_no, family, name, vendor_space) deferrable;

alter table trusted_relay
  drop constraint trusted_relay_unique,
  add constraint trusted_relay_unique unique nulls not distinct (cidr, tenant_no) deferrable;

alter table dns_server
  drop constraint dns_server_name_unique,
  add constraint dns_server_name_unique unique (tenant_no, name) deferrable;
