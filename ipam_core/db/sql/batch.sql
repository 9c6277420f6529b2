-- name: settle_addresses^
-- The last locks of a transaction; see the functions.
select lost, managed from settle_addresses(
  :tenants::integer[], :subnets::integer[], :addresses::inet[], :capped::boolean);
