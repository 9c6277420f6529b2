-- name: note_values!
-- The servers bring what they counted since their last note. The class is held, so that none is noted of one that is
-- being deleted; in one order, so that two servers do not wait for each other.
with alive as (
  select no from client_class where no = any(:class_nos::integer[]) and template order by no for key share
)
insert into class_value (class_no, value, packets, first_seen_at, last_seen_at)
select class_no, value, sum(packets), now(), now()
from unnest(:class_nos::integer[], :values::bytea[], :packets::bigint[]) as noted (class_no, value, packets)
join alive on alive.no = noted.class_no
group by class_no, value
order by class_no, value
on conflict (class_no, value) do update set
  packets = class_value.packets + excluded.packets, last_seen_at = excluded.last_seen_at;

-- name: forget_oldest!
-- A template has so many classes at most, as in the memory of a server.
delete from class_value where (class_no, value) in (
  select class_no, value from (
    select class_no, value, row_number() over (partition by class_no order by last_seen_at desc, value) as place
    from class_value where class_no = any(:class_nos::integer[])
  ) as ranked
  where place > :kept::integer
);

-- name: forget_values!
-- What clients brought to other conditions of the class.
delete from class_value where class_no = :no::integer;

-- name: find_class^
-- Whose values are asked for; a token of one tenant sees those of its own.
select no, id, name, template, match from client_class
where id = :id::uuid and (:tenant_no::integer is null or tenant_no = :tenant_no::integer);

-- name: class_value_view
-- As they were noted.
select class_value.class_no, class_value.value, class_value.packets, class_value.first_seen_at, class_value.last_seen_at
from class_value;
