"""A lease as a server writes one, for tests in which none runs: its address, hardware address and vendor class."""

PUT = """
insert into lease (tenant_no, subnet_no, address, prefix_length, state, version, granted_at, renewed_at, expires_at,
  reuse_at, client_key, hw_type, hw_address, vendor_class)
select tenant_no, no, $1, 32, 'a', nextval('lease_version'), now(), now(), now() + '1 hour', now() + '1 hour',
  '\\x0101'::bytea || $2, 1, $2, $3 from subnet where cidr >>= $1"""
