-- depends: 0014.interfaces

-- What keeps writers of the plan apart and their rules true.

-- The only address of a /32 is its host's, and so are both of a /31 (RFC 3021); the service knows network and broadcast.
alter table subnet drop constraint subnet_check;
alter table subnet add constraint subnet_gateway_inside check (gateway <<= cidr);

-- When something below was last changed or deleted: a grant that was decided before may still be on its way then, also
-- of an address that no pool holds any more.
alter table subnet add column withdrawn_at timestamptz;

-- The rules of reservations stand in the service, and nowhere else.
drop function create_reservation;

-- How many reservations and assignments there are, as a sum of differences. Every statement that makes or deletes some
-- adds its own row, so that nobody waits for anybody; who must know the sum under a lock folds them.
create table managed_change (delta bigint not null);
insert into managed_change select (select count(*) from reservation) + (select count(*) from assignment);

create function note_managed() returns trigger language plpgsql as $$
begin
  insert into managed_change
  select case tg_op when 'INSERT' then count(*) else - count(*) end from affected having count(*) > 0;
  return null;
end
$$;
create trigger reservation_made after insert on reservation referencing new table as affected
  for each statement execute function note_managed();
create trigger reservation_gone after delete on reservation referencing old table as affected
  for each statement execute function note_managed();
create trigger assignment_made after insert on assignment referencing new table as affected
  for each statement execute function note_managed();
create trigger assignment_gone after delete on assignment referencing old table as affected
  for each statement execute function note_managed();

-- The sum as the last of the writers under a cap sees it: the lock lasts until the COMMIT, and the look behind it sees
-- what was committed by those before. It is the last lock of a transaction, so nobody waits for long.
create function count_managed() returns bigint language plpgsql volatile as $$
declare
  managed bigint;
  parts bigint;
begin
  perform pg_advisory_xact_lock(hashtext('managed_ip_cap'));
  select sum(delta), count(*) into managed, parts from managed_change;
  if parts > 64 then
    with folded as (delete from managed_change returning delta)
    insert into managed_change select sum(delta) from folded;
  end if;
  return managed;
end
$$;

-- Lease rows that were marked, so that those which are nothing but a mark can go when no grant is on its way any more.
create table address_claim (
  at timestamptz not null default now(),
  tenant_no integer not null,
  address inet not null
);

-- The last locks of a transaction that gives addresses to machines. `lost`: the positions of those that a client holds;
-- all others are this transaction's, whatever grant of them is on its way: each lease row is marked in the order of the
-- keys, as the DHCP servers lock them, and a grant that waited for it reads the subnet's fence again. Only an address
-- that a server may have thought its own needs that: one of a pool, or of a subnet where something was withdrawn lately.
create function settle_addresses(
  tenants integer[], subnets integer[], addresses inet[], capped boolean, out lost integer[], out managed bigint)
language plpgsql volatile as $$
begin
  if cardinality(addresses) > 0 then
    with exposed as materialized (
      select wanted.* from unnest(tenants, subnets, addresses) with ordinality as wanted (tenant_no, subnet_no, ip, place)
      join subnet on subnet.no = wanted.subnet_no
      where withdrawn_at > now() - interval '10 minutes' or exists (
        select from pool where pool.subnet_no = wanted.subnet_no and wanted.ip between start_ip and end_ip)
    ), marked as (
      insert into lease as l (
        tenant_no, address, prefix_length, subnet_no, state, granted_at, renewed_at, expires_at, reuse_at, version,
        client_key, claimed)
      select tenant_no, ip, masklen(ip), subnet_no, 'r', now(), now(), now(), now(), nextval('lease_version'),
        '\x00'::bytea || substring(inet_send(ip) from 5), true
      from exposed order by tenant_no, ip
      on conflict on constraint lease_pkey do update set claimed = true where l.reuse_at <= clock_timestamp()
      returning l.tenant_no, l.address
    ), noted as (
      insert into address_claim (tenant_no, address) select tenant_no, address from marked
    )
    select array_agg(exposed.place::integer) into lost from exposed
    where not exists (
      select from marked where marked.tenant_no = exposed.tenant_no and marked.address = exposed.ip);
  end if;
  if capped then
    managed := count_managed();
  end if;
end
$$;

-- The shares of the cap (in percent) that have been passed, a row while it lasts: whoever makes it raises the event.
create table license_alert (
  percent smallint primary key,
  since timestamptz not null default now()
);

-- A delegated prefix is one client's. Of those that overlap from before the first remains; the others keep their address,
-- or go if they have none, and the audit trail tells.
create temporary table overlapping on commit drop as
select later.no, later.ip is null as gone, to_jsonb(later) as before from reservation later
where later.prefix is not null and exists (
  select from reservation earlier
  where earlier.subnet_no = later.subnet_no and earlier.prefix && later.prefix and earlier.no < later.no);

insert into change (tenant_no, subnet_no, object_type, object_id, action, before, after)
select subnet.tenant_no, subnet.no, 'reservation', reservation.id::text, case when gone then 'deleted' else 'updated' end,
  overlapping.before, case when not gone then overlapping.before || '{"prefix": null}' end
from overlapping join reservation using (no) join subnet on subnet.no = reservation.subnet_no;

update subnet set fence = fence + 1
where no in (select subnet_no from reservation join overlapping using (no));
delete from dhcp_option where reservation_no in (select no from overlapping where gone);
delete from reservation where no in (select no from overlapping where gone);
update reservation set prefix = null where no in (select no from overlapping);

alter table reservation add constraint reservation_prefix_overlap exclude using gist (
  int8range(subnet_no, subnet_no, '[]') with &&, prefix inet_ops with &&) where (prefix is not null);
