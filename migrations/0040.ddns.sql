-- depends: 0029.dns

-- Processes that follow leases into DNS.

-- Updates on their way to a server; there are few at any time.
create index ddns_update_claimed on ddns_update (no) where claimed_until is not null;
-- What metrics count.
create index ddns_update_unfinished on ddns_update (adapter, state, created_at)
  where state in ('pending', 'retrying', 'failed', 'conflict');
-- What is forgotten some day.
create index ddns_update_done on ddns_update (updated_at) where state in ('applied', 'superseded', 'failed');
