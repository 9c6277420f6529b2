-- name: find_zone^
-- By its name in the tenant; shared, so that it is not deleted under what is written to it.
select no, dns_enabled from dns_zone where tenant_no = :tenant_no::integer and name = :name::text for key share;

-- name: static_in_the_way$
-- An operator's record of the same name: of the same type, or an alias, which stands alone.
select exists (
  select from dns_record
  where zone_no = :zone_no::integer and name = :name::text and source = 'static'
    and (type = :type::text and data <> :data::text or type = 'CNAME' or :type::text = 'PTR'));

-- name: drop_others!
-- What else follows a lease under this name and type: one host has one address of a family by a name.
delete from dns_record
where zone_no = :zone_no::integer and name = :name::text and type = :type::text and source <> 'static'
  and data <> :data::text;

-- name: put_record!
-- One that is there already, also an operator's that says the same, stays as it is.
insert into dns_record (id, zone_no, name, type, ttl, data, source)
values (:id::uuid, :zone_no::integer, :name::text, :type::text, :ttl::integer, :data::text, :source::text)
on conflict do nothing;

-- name: drop_record!
-- Never an operator's.
delete from dns_record using dns_zone
where dns_zone.no = dns_record.zone_no and dns_zone.tenant_no = :tenant_no::integer and dns_zone.name = :zone::text
  and dns_record.name = :name::text and dns_record.type = :type::text and dns_record.data = :data::text
  and source <> 'static';

-- name: records
-- What the zone says of addresses, to be compared.
select r.name, r.type, r.data, r.source from dns_record r join dns_zone z on z.no = r.zone_no
where z.tenant_no = :tenant_no::integer and z.name = :zone::text and r.type = any(:types::text[]);
