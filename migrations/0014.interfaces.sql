-- depends: 0012.partitions 0013.claims

-- On which wires a DHCP server hears clients directly, only its own settings and its machine say: the names of those
-- interfaces and their IPv4 addresses, as {"lan0": ["10.60.1.1"]}. An explanation asked of the API needs them.
alter table node add column interfaces jsonb not null default '{}';
