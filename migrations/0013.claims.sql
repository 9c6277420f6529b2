-- depends: 0012.partitions

-- What gives a machine an address through the API writes or locks that address's lease row in its own transaction, and
-- leaves this mark: a grant that was decided before that transaction's end must read the subnet's fence once more. Null in
-- all other rows, where it takes no room.
alter table lease add column claimed boolean;

-- Since when the previous owner had it whose lease was taken over: its `expired` event bears that time.
alter table lease add column taken_since timestamptz;

-- When the lease was ended, or written down as expired: what is granted after that begins no sooner, also by a
-- transaction that began before. Null while it runs.
alter table lease add column ended_at timestamptz;

-- Is the subnet still the one under which it was decided? Volatile: it sees what was committed until now, also where the
-- statement that asks began before and waited for a row.
create function fence_holds(subnet_no integer, fence bigint) returns boolean language plpgsql volatile as $$
begin
  return exists (select from subnet s where s.no = $1 and s.fence <= $2);
end
$$;
