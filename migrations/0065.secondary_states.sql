-- depends: 0063.usage_parts

-- The state of a secondary of which an event has told last (dns.secondary_behind, dns.secondary_current).
alter table dns_secondary add column told_state text
  constraint dns_secondary_told_state_check check (told_state in ('current', 'behind', 'ahead', 'unknown'));
