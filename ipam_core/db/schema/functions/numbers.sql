-- Eight octets as an unsigned number.
create or replace function octets_number(octets bytea) returns numeric language sql immutable strict parallel safe as $$
  select signed::numeric + case when signed < 0 then 18446744073709551616 else 0 end
  from (select ('x' || encode(octets, 'hex'))::bit(64)::bigint as signed) as n
$$;

-- An address as a number: PostgreSQL's own difference of two addresses ends at 63 bits.
create or replace function address_number(address inet) returns numeric language sql immutable strict parallel safe as $$
  select case family(address)
    when 4 then (host(address)::inet - '0.0.0.0'::inet)::numeric
    else octets_number(substr(inet_send(address), 5, 8)) * 18446744073709551616
      + octets_number(substr(inet_send(address), 13, 8))
  end
$$;

-- How many addresses a range holds, both ends included.
create or replace function range_size(first inet, last inet) returns numeric language sql immutable strict parallel safe as $$
  select address_number(last) - address_number(first) + 1
$$;

-- The addresses that hosts may bear: without network and broadcast address (IPv4, up to /30).
create or replace function usable_range(network cidr, out first inet, out last inet) language sql immutable strict parallel safe
as $$
  select case when edges then low + 1 else low end, case when edges then high - 1 else high end
  from (select host(network(network))::inet as low, host(broadcast(network))::inet as high,
               family(network) = 4 and masklen(network) <= 30 as edges) as ends
$$;
