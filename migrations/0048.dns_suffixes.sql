-- depends: 0047.relay_ownership

-- Who may answer for which names: DNS names are a tree, and the built-in server answers for all tenants.

alter table tenant
  -- Names at or below which the tenant may enable zones; lower case, ASCII, without the closing dot. The default tenant
  -- needs none.
  add column dns_suffixes text[] not null default '{}';

-- A name and all names above it, the name itself first. A dot that is escaped ends no label.
create function dns_names_above(name text) returns text[]
language plpgsql immutable strict parallel safe as $$
declare
  above text[] := array[name];
  labels text[];
begin
  if strpos(name, '\') = 0 then
    while strpos(name, '.') > 0 loop
      name := substr(name, strpos(name, '.') + 1);
      above := above || name;
    end loop;
    return above;
  end if;
  labels := array(select part[1] from regexp_matches(name, '((?:[^.\\]|\\.)+)', 'g') as part);
  return array(select array_to_string(labels[place:], '.') from generate_subscripts(labels, 1) as place order by place);
end
$$;

-- Whether a name lies below a zone. The first condition is cheap and turns most names away.
create function dns_is_below(name text, zone text) returns boolean
language sql immutable strict parallel safe as $$
  select right(name, length(zone) + 1) = '.' || zone and zone = any(dns_names_above(name))
$$;

alter table dns_zone add column above text[] generated always as (dns_names_above(name)) stored;
create index dns_zone_above on dns_zone using gin (above) where dns_enabled;

-- A record's owner in full, and back; the zone's own name is @.
create function dns_full_name(owner text, zone text) returns text
language sql immutable strict parallel safe as $$
  select case owner when '@' then zone else owner || '.' || zone end
$$;
create function dns_owner(name text, zone text) returns text
language sql immutable strict parallel safe as $$
  select case name when zone then '@' else left(name, -length(zone) - 1) end
$$;

-- What a zone says of an enabled zone below it: its NS records and their addresses. The check is wider than before, so
-- every row meets it.
alter table dns_record
  drop constraint dns_record_source_check,
  add constraint dns_record_source_check
    check (source in ('static', 'lease', 'assignment', 'reservation', 'delegation')) not valid;
create index dns_record_delegation on dns_record (zone_no, type) where source = 'delegation';

-- Names in zones of our own are unique in their tenant: 1 - tenant_no takes the place of 0, which is the default tenant's.
insert into ddns_name (dns_server_no, fqdn, owners, dhcid)
select distinct on (b.tenant_no, n.fqdn) 1 - b.tenant_no, n.fqdn, n.owners, n.dhcid
from ddns_name n join ddns_binding b
  on b.fqdn = n.fqdn and coalesce(b.dns_server_no, 0) = n.dns_server_no and b.identities && n.owners
where b.adapter = 'embedded'
order by b.tenant_no, n.fqdn
on conflict do nothing;
