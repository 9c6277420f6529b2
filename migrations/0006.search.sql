-- depends: 0004.families

-- Records are found by the address that they give, or its leading part.
create index dns_record_by_address on dns_record (data text_pattern_ops) where type in ('A', 'AAAA');
