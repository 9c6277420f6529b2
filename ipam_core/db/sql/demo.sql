-- name: wait_for_others!
-- Two that start at once on one database fill it once.
select pg_advisory_xact_lock(hashtext('ipam demo'));

-- name: is_planned$
-- Whether anybody has planned anything: the demonstration never mixes with somebody's plan.
select exists (select from prefix);

-- name: has_subnet$
-- Without one no client can get an address, and `ipam up` tells how to make one.
select exists (select from subnet);

-- name: has_relay_and_class$
-- Whether the demonstration plan, or as much of it as its start and its probes need, is there.
select exists (select from client_class where name = :class_name)
    and exists (select from subnet where cidr = :cidr::cidr and inet '127.0.0.1' = any (relay_addresses));
