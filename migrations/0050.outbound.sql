-- depends: 0049.ddns_names

-- Whether a token limited to a tenant wrote last where the object connects to. Objects of tenants other than the default
-- one are judged as tenants' anyway; of the default tenant's, those from before count as the operator's.
alter table dns_server add column by_tenant boolean not null default false;
alter table webhook add column by_tenant boolean not null default false;

-- Unfinished updates by tenant and server, so that a tenant's backlog costs others nothing: each server's are found by one
-- descent of the index, however many wait for another one. 0 is the embedded server, of which each tenant has its own share.
create index ddns_update_by_server on ddns_update (tenant_no, coalesce(dns_server_no, 0), next_attempt_at)
  where state in ('pending', 'retrying');
