-- depends: 0025.route

-- A reservation may be for what a relay says of the subscriber: his remote id (option 82.2, DHCPv6's 37) or subscriber id
-- (82.6, DHCPv6's 38). The shortcuts of 0005 and 0017 make reservations without them, and leave the look at the identities
-- that a reservation needs to whoever calls.
alter table reservation
  add column remote_id bytea,
  add column subscriber_id bytea,
  drop constraint reservation_for_somebody,
  add constraint reservation_for_somebody check (
    num_nonnulls(mac, duid, client_id, circuit_id, remote_id, subscriber_id) > 0),
  add constraint reservation_remote_id_unique unique (subnet_no, remote_id),
  add constraint reservation_subscriber_id_unique unique (subnet_no, subscriber_id);
create index reservation_by_remote_id on reservation (remote_id) where remote_id is not null;
create index reservation_by_subscriber_id on reservation (subscriber_id) where subscriber_id is not null;
