-- name: records_after
-- A page of what a zone holds, by names, as the index has them.
select no, name, type, ttl, data, source from dns_record
where zone_no = :zone_no::integer and (name, no) > (:name::text, :no::bigint) order by name, no limit :most::integer;

-- name: served_together
-- RRsets that are published beside an alias, or at or below a redirection: a release before may have published some that
-- secondaries refuse.
select name, type from dns_rrset
where zone_no = :zone_no::integer
  and name in (select name from dns_rrset where zone_no = :zone_no::integer and type in ('CNAME', 'DNAME')
               group by name having count(*) > 1 or bool_or(type = 'DNAME' or array_length(data, 1) > 1))
union
select below.name, below.type from dns_rrset as top
join dns_rrset as below on below.zone_no = top.zone_no
  and (right(below.name, length(top.name) + 1) = '.' || top.name or top.name = '@' and below.name <> '@')
where top.zone_no = :zone_no::integer and top.type = 'DNAME'
limit :most::integer;
