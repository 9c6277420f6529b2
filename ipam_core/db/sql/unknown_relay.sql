-- name: note_unknown
-- The servers bring what they counted since their last note; `is_new` tells of an address that was not known.
insert into unknown_relay (address, count, first_seen_at, last_seen_at)
select address, sum(count), now(), now()
from unnest(:addresses::inet[], :counts::bigint[]) as noted (address, count)
group by address
on conflict (address) do update set
  count = unknown_relay.count + excluded.count, last_seen_at = excluded.last_seen_at
returning address, count, first_seen_at, xmax = 0 as is_new;

-- name: forget_oldest!
-- Addresses can be forged, so the table must end somewhere.
delete from unknown_relay where address in (
  select address from unknown_relay order by last_seen_at desc, address offset :kept::integer
);

-- name: unknown_relay_view
-- One that has been trusted since is unknown no longer.
select unknown_relay.address, unknown_relay.count, unknown_relay.first_seen_at, unknown_relay.last_seen_at
from unknown_relay
where not exists (select from trusted_relay where trusted_relay.cidr >>= unknown_relay.address);
