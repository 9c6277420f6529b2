-- depends: 0010.operation

-- A lease that goes to another client has a new entry in every index, and the old one is dead from then on. Each look for
-- the address marks it so, and marked entries go first when a page is full; one that was merged with its successor cannot
-- be marked, and PostgreSQL visits the rows of half a page to find out. No two rows have one address, so merging saves
-- nothing else here. The index grows up to twice as large meanwhile.
alter index lease_pkey set (deduplicate_items = off);
