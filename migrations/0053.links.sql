-- depends: 0052.caller_limits

-- A degraded DHCP server may still commit leases, where one of its interfaces is missing. Then it shares DHCPv6 messages
-- with the others, as one that is ready does.
alter table node add column commits boolean not null default false;
