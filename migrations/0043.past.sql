-- depends: 0042.plan_fields

-- Maps as they were at a moment: what has changed in a subnet since, and which subnets of a prefix have.
create index change_by_subnet on change (subnet_no, at) where subnet_no is not null;
create index change_of_subnets on change ((coalesce(after, before) ->> 'prefix_id'), at)
where object_type = 'subnet';
