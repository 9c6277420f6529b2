-- depends: 0021.delegation

-- What a class asks of its clients beside the plain criteria: whether they have a reservation, and a tree of conditions
-- (ipam_core/dhcp/conditions.py), which the service has checked.
alter table client_class
  add column known boolean,
  add column match jsonb check (jsonb_typeof(match) = 'object'),
  drop constraint client_class_matches_something,
  add constraint client_class_matches_something check
    (num_nonnulls(vendor_class, user_class, mac_prefix, locally_administered, known, match) > 0);
