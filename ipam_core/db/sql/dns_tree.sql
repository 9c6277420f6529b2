-- name: hold_tree$
-- Zones are enabled and suffixes are set by one at a time over all tenants, because names above and below are looked at.
select pg_advisory_xact_lock(hashtext('dns tree'));

-- name: suffixes_of_tenant^
-- Below which names a tenant may enable zones.
select name, is_default, dns_suffixes from tenant where no = :tenant_no::integer;

-- name: is_taken$
-- Whether a name lies at or below a suffix of another tenant, or at, above or below an enabled zone of one. `above`: the
-- name and the names above it.
select exists (
  select from tenant, unnest(dns_suffixes) as suffix
  where no <> :tenant_no::integer and suffix = any(:above::text[])
) or exists (
  select from dns_zone
  where dns_enabled and tenant_no <> :tenant_no::integer and (
    name = any(:above::text[]) or above @> array[:name::text])
);

-- name: overlapping_suffix^
-- A suffix of another tenant that lies at, above or below one of these. The tenant is not made yet where `no` is 0.
-- No pairs are formed: of 300 tenants with 64 suffixes that would be a million, while everybody waits for the tree.
select tenant.name, suffix from tenant, unnest(dns_suffixes) as suffix
where no <> :no::integer and (dns_names_above(suffix) && :suffixes::text[] or suffix = any(array(
  select unnest(dns_names_above(wanted)) from unnest(:suffixes::text[]) as wanted)))
limit 1;

-- name: zone_in_need^
-- An enabled zone that lies at or below one of the suffixes before, and none of those after.
select name from dns_zone
where tenant_no = :tenant_no::integer and dns_enabled
  and above && :before::text[] and not above && :after::text[]
limit 1;
