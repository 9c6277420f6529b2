"""Days of the lease history, more than a year of them."""

# Each in a transaction of its own: readers of the log wait for the oldest one of the database.
YEAR = """
do $$ begin
  for day in 0..400 loop
    perform make_lease_event_partition((now() at time zone 'UTC')::date - day);
    commit;
  end loop;
end $$"""
