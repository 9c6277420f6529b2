-- depends: 0039.templates

-- A record that follows a lease is made and removed with it: numbers of four octets would be used up after some two thousand
-- million of them, twelve days at a thousand leases a second.
alter table dns_record alter column no type bigint;
alter sequence dns_record_no_seq as bigint;
