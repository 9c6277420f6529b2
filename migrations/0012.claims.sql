-- depends: 0010.regrants

-- What gives a machine an address through the API writes or locks that address's lease row in its own transaction, and
-- leaves this mark: a grant that was decided before that transaction's end must read the subnet's fence once more. Null in
-- all other rows, where it takes no room.
alter table lease add column claimed boolean;

-- Is the subnet still the one under which it was decided? Volatile: it sees what was committed until now, also where the
-- statement that asks began before and waited for a row.
create function fence_holds(subnet_no integer, fence bigint) returns boolean language plpgsql volatile as $$
begin
  return exists (select from subnet s where s.no = $1 and s.fence <= $2);
end
$$;
