-- depends: 0015.writers

-- How many requests each API process has taken of whom, in spans of two seconds, so that all of them together keep the
-- limit of a client. A minute of it is of use; after a crash it may as well begin anew, so it is not logged.
create unlogged table request_count (
  policy text not null,
  client text not null,
  process uuid not null,
  span bigint not null,
  requests integer not null,
  primary key (policy, client, process, span)
);
