-- depends: 0033.profiles

-- What the boot server is called (the header's sname, option 66), beside the address that next_server may be.
alter table subnet add column server_name text;
alter table client_class add column server_name text;
