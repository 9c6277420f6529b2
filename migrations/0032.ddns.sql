-- depends: 0031.cluster_key

-- Processes that follow leases into DNS.

-- Updates on their way to a server; there are few at any time.
create index ddns_update_claimed on ddns_update (no) where claimed_until is not null;
-- What metrics count.
create index ddns_update_unfinished on ddns_update (adapter, state, created_at)
  where state in ('pending', 'retrying', 'failed', 'conflict');
-- What is forgotten some day.
create index ddns_update_done on ddns_update (updated_at) where state in ('applied', 'superseded', 'failed');

-- What a client said of who updates DNS (RFC 4702, RFC 4704), as bits: 4 it said so, 1 the server is to (S), 2 nobody is to
-- (N); 8 the name is a reservation's, and the server's to update. Null: the client did not say.
alter table lease add column fqdn_flags smallint;
alter table lease_event add column fqdn_flags smallint;

-- One write as a DHCP server asks for it; lease_write of 0020 is what servers of the version before still send.
create type lease_change as (
  tenant_no integer, address inet, subnet_no integer, place smallint, operation "char", lifetime integer, margin integer,
  age integer, version bigint, hw_type smallint, hw_address bytea, client_id bytea, client_key bytea, hostname text,
  relay inet, circuit_id bytea, remote_id bytea, association lease_association, device lease_device, fqdn_flags smallint);
