-- depends: 0024.members

-- Where a delegated prefix is to be routed: by the relay that named the link (relay, link_address), out of its interface
-- (interface_id, RFC 8415 section 21.18) to the client there (next_hop: the innermost peer-address, or a direct client's
-- source). circuit_id stays what the relay next to the client says, which behind a switch (RFC 6221) is its port. Last, and
-- null for IPv4, whose rows they cost no octet.
alter table lease
  add column next_hop inet,
  add column interface_id bytea;
alter table lease_event
  add column next_hop inet,
  add column interface_id bytea;

-- No release has sent the type as it was.
alter type lease_association add attribute next_hop inet, add attribute interface_id bytea;
