-- depends: 0055.identity

-- What the client of a reserved prefix leaves to its link (RFC 6603), as `excluded_prefix` of a delegation pool.
alter table reservation
  add column excluded_prefix cidr,
  add constraint reservation_excluded_within check (excluded_prefix is null or excluded_prefix << prefix);
