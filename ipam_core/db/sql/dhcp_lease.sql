-- The lease statements of the DHCP server. Every writer sends them as prepared statements; what comes back won. All take
--   $1 the operations, an array of lease_request in the order of their keys: in that order rows are locked, so that
--      two batches never wait in a circle (the sessions of the writers allow no plan but a loop over the array)
--   $2 the server's node number
--   $3 $4 the numbers of the operations' subnets, and the fence under which each was decided; an operation's place is
--      its index there, so that a subnet is looked up once a batch: `under` says whether its fence is still no newer,
--      null where there is no such subnet
--   $5 when they were sent, by the database's clock as the server knows it and at the earliest; null where it does not.
--      Operations say how old their packets were then: the statement may be under way for long
-- Behind a row's lock its latest times may be later than now(), which is when the transaction began: what is written
-- begins behind those, so that an address's history does not run against its versions, and only a lease that begins has
-- its granted_at; at most five seconds behind the clock, because a time to come may also be from before it was put back.
-- A packet without a name (neither hostname nor fqdn_flags) leaves the name of its client's lease as it is, unless a
-- reservation gave it (8 in fqdn_flags), which is no more.
-- So does one without a vendor class or a parameter list, which are null here. Its other options (client_options) stay
-- where it has neither these nor a vendor class: a machine that boots in stages is another one in each of them. What
-- relays say is where the client is now, so a grant replaces it, and a renewal leaves it where the packet came past the
-- relay, or by the same one without.
-- And it ends no sooner than what the client was told meanwhile, however long this one waited. An infinite lifetime, which
-- is -1 in the 32 bits of the operation, never ends.

-- name: bind_leases
-- Grants addresses: a new row, or one that is free to others by now, or the client's own. Refuses what was decided under
-- an older fence. Where the API gave the address to a machine (claimed) the fence is read again: this predicate is
-- evaluated behind the row's lock, and what held the lock may have raised the fence after the statement began.
-- A client is also recognised by equal hardware address, its type, and client id, so that an IPv4 subnet may change
-- match_client_id; of IPv6 by its key alone, because one card may bear several clients (DUIDs). A running lease is taken
-- over where the operation names its version: the server has seen that its client has the same reservation.
-- A prefix to be delegated may overlap leases of other lengths, so of other keys: may_grant decides, if there are any.
with fresh as (
  select array(
    select s.fence <= f.fence
    from unnest($3::integer[], $4::bigint[]) with ordinality f (no, fence, place) left join subnet s on s.no = f.no
    order by f.place) as under
), delegations as (
  select may_grant($1, $3, $4) as granted
), batch as (
  select * from unnest($1::lease_request[]) with ordinality
), won as (
  insert into lease as l (
    tenant_no, address, prefix_length, ia_type, subnet_no, state, granted_at, renewed_at, expires_at, reuse_at, version,
    hw_type, hw_address, client_id, client_key, hostname, relay, circuit_id, remote_id, iaid, preferred_lifetime, duid,
    link_address, next_hop, interface_id, relay_id, relay_info, vendor_class, parameter_list, accepts_reconfigure,
    client_options, fqdn_flags)
  select b.tenant_no, b.address, coalesce((b.association).prefix_length, 32), coalesce((b.association).ia_type, 0),
    b.subnet_no, 'a', now(), now(), {end of lifetime},
    {reuse after lifetime}, nextval('lease_version'), b.hw_type, b.hw_address,
    b.client_id, b.client_key, b.hostname, b.relay, b.circuit_id, b.remote_id, (b.association).iaid,
    (b.association).preferred_lifetime, (b.association).duid, (b.association).link_address, (b.association).next_hop,
    (b.association).interface_id, (b.device).relay_id, (b.device).relay_info, (b.device).vendor_class,
    (b.device).parameter_list, (b.device).accepts_reconfigure, (b.device).client_options, b.fqdn_flags
  from batch b where (select under from fresh)[b.place]
    and case when (b.association).ia_type = 25 then (select granted from delegations)[b.ordinality] else true end
  on conflict (tenant_no, address) do update set
    subnet_no = excluded.subnet_no, state = 'a', version = nextval('lease_version'), hw_type = excluded.hw_type,
    hw_address = excluded.hw_address, client_id = excluded.client_id, client_key = excluded.client_key,
    hostname = case when {name stays with grant} then l.hostname else excluded.hostname end,
    relay = excluded.relay, circuit_id = excluded.circuit_id,
    remote_id = excluded.remote_id, prefix_length = excluded.prefix_length, ia_type = excluded.ia_type,
    iaid = excluded.iaid, preferred_lifetime = excluded.preferred_lifetime, duid = excluded.duid,
    link_address = excluded.link_address, next_hop = excluded.next_hop, interface_id = excluded.interface_id,
    relay_id = excluded.relay_id, relay_info = excluded.relay_info,
    vendor_class = coalesce(excluded.vendor_class, case when {client goes on} then l.vendor_class end),
    parameter_list = coalesce(excluded.parameter_list, case when {client goes on} then l.parameter_list end),
    accepts_reconfigure = excluded.accepts_reconfigure,
    client_options = case when excluded.vendor_class is null and excluded.client_options is null and {client goes on}
      then l.client_options else excluded.client_options end,
    fqdn_flags = case when {name stays with grant} then l.fqdn_flags else excluded.fqdn_flags end, claimed = null,
    expires_at = greatest(excluded.expires_at, {end that was told meanwhile}),
    reuse_at = greatest(excluded.reuse_at, {reuse that was told meanwhile}),
    renewed_at = case when l.renewed_at >= now() or l.ended_at >= now()
      then {time behind the row's} else now() end,
    granted_at = case when l.state = 'a' and l.client_key = excluded.client_key then l.granted_at
      when l.renewed_at >= now() or l.ended_at >= now()
        then {time behind the row's} else now() end,
    ended_at = null,
    taken_since = case when l.client_key <> excluded.client_key then l.granted_at end,
    taken_from = case when l.state = 'a' and l.client_key <> excluded.client_key
        and (l.ia_type <> 0 or (l.hw_type, l.hw_address, l.client_id)
          is distinct from (excluded.hw_type, excluded.hw_address, excluded.client_id))
      then row(l.client_key, l.hw_type, l.hw_address, l.client_id, l.duid, l.iaid, l.hostname, l.expires_at)::lease_owner
      end
    where (l.reuse_at <= now()
        or (l.state <> 'd' and (l.client_key = excluded.client_key
          or (l.ia_type = 0 and l.hw_type = excluded.hw_type and l.hw_address = excluded.hw_address
            and l.client_id is not distinct from excluded.client_id)
          or (l.state = 'a' and exists (
            select from unnest($1::lease_request[]) o
            where o.tenant_no = excluded.tenant_no and o.address = excluded.address and o.version = l.version)))))
      and (l.claimed is not true or (
        select fence_holds(o.subnet_no, ($4::bigint[])[o.place]) from unnest($1::lease_request[]) o
        where o.tenant_no = excluded.tenant_no and o.address = excluded.address))
  returning l.*
), history as (
  {history of grants}
), displaced as (
  {history of takeovers}
)
select tenant_no, address, renewed_at, expires_at, version from won;

-- name: change_leases
-- Renews, releases, declines, revokes or expires rows that exist; never inserts. The predicate of each operation:
-- renew: the client's own, active or expired, under the current fence, and where a version is named, of that or not
-- written since the packet came, which another server may have heard and written too (a delegated prefix of the same
-- length, and behind its end only while nobody has got a part of it); release and decline: the client's own, active
-- and of the version seen, or not written since the packet came; supersede (the server gives up the address of a client
-- that has another now): likewise, but of the version seen and not written since that other's packet came, which may have
-- waited while its client got this one; revoke: the client's own and active, under the current fence, or of a subnet that
-- is gone; expire: the version that was seen.
with fresh as (
  select array(
    select s.fence <= f.fence
    from unnest($3::integer[], $4::bigint[]) with ordinality f (no, fence, place) left join subnet s on s.no = f.no
    order by f.place) as under
), batch as (
  select * from unnest($1::lease_request[])
), won as (
  update lease l set
    version = nextval('lease_version'),
    state = case b.operation when 'n' then 'a' when 's' then 'r' else b.operation end,
    subnet_no = case b.operation when 'n' then b.subnet_no else l.subnet_no end,
    granted_at = case when b.operation = 'n' and l.state = 'x' then greatest(now(),
      {time behind the row's}) else l.granted_at end,
    renewed_at = case when b.operation <> 'n' then l.renewed_at when l.renewed_at >= now() or l.ended_at >= now()
      then {time behind the row's} else now() end,
    expires_at = case b.operation
      when 'n' then greatest({end of lifetime}, {end that was told meanwhile})
      when 'x' then l.expires_at else least(l.expires_at, now()) end,
    reuse_at = case b.operation
      when 'n' then greatest({reuse after lifetime}, {reuse that was told meanwhile})
      when 'd' then now() + make_interval(secs => b.margin) when 'x' then l.reuse_at else now() end,
    ended_at = case b.operation when 'n' then null else clock_timestamp() end,
    hw_type = case b.operation when 'n' then b.hw_type else l.hw_type end,
    hw_address = case b.operation when 'n' then b.hw_address else l.hw_address end,
    client_id = case b.operation when 'n' then b.client_id else l.client_id end,
    client_key = case b.operation when 'n' then b.client_key else l.client_key end,
    hostname = case when b.operation <> 'n' or {name stays} then l.hostname else b.hostname end,
    fqdn_flags = case when b.operation <> 'n' or {name stays} then l.fqdn_flags else b.fqdn_flags end,
    relay = case b.operation when 'n' then coalesce(b.relay, l.relay) else l.relay end,
    circuit_id = case when b.operation <> 'n' then l.circuit_id when b.relay <> l.relay then b.circuit_id
      else coalesce(b.circuit_id, l.circuit_id) end,
    remote_id = case when b.operation <> 'n' then l.remote_id when b.relay <> l.relay then b.remote_id
      else coalesce(b.remote_id, l.remote_id) end,
    preferred_lifetime = case b.operation when 'n' then (b.association).preferred_lifetime
      else l.preferred_lifetime end,
    link_address = case b.operation when 'n' then coalesce((b.association).link_address, l.link_address)
      else l.link_address end,
    next_hop = case b.operation when 'n' then coalesce((b.association).next_hop, l.next_hop) else l.next_hop end,
    interface_id = case b.operation when 'n' then coalesce((b.association).interface_id, l.interface_id)
      else l.interface_id end,
    taken_from = null, taken_since = null
  from batch b
  where l.tenant_no = b.tenant_no and l.address = b.address and case b.operation
    when 'x' then l.version = b.version and l.state = 'a' and l.expires_at <= now()
    else (l.client_key = b.client_key
        or (l.ia_type = 0 and l.hw_type = b.hw_type and l.hw_address = b.hw_address
          and l.client_id is not distinct from b.client_id))
      and case b.operation
        when 'n' then l.state in ('a', 'x') and (select under from fresh)[b.place]
          and (b.version = 0 or l.version = b.version
            or l.renewed_at <= now() - make_interval(secs => b.age / 1000000.0))
          and case when l.ia_type = 25 then l.prefix_length = (b.association).prefix_length and (
            l.expires_at > now() or may_delegate(b.tenant_no, b.address, l.prefix_length, l.duid, b.subnet_no,
              ($4::bigint[])[b.place])) else true end
        when 'v' then l.state = 'a' and coalesce((select under from fresh)[b.place], true)
        when 's' then l.state = 'a' and l.version = b.version
          and (b.age = 0 or l.renewed_at <= least(now(), $5) - make_interval(secs => b.age / 1000000.0))
        else l.state = 'a' and (l.version = b.version
          or l.renewed_at <= least(now(), $5) - make_interval(secs => b.age / 1000000.0))
        end
    end
  returning l.*, b.operation
), history as (
  {history of changes}
)
select tenant_no, address, renewed_at, expires_at, version from won;

-- name: quarantine_leases
-- Puts addresses that answered a ping before they were offered into quarantine, as nobody's: no row, or one that is
-- free to others by now; never a lease that runs or its margin, never what is in quarantine already. A lease that ran
-- out and was not written as expired leaves its event, as with a takeover.
with batch as (
  select * from unnest($1::lease_request[])
), won as (
  insert into lease as l (
    tenant_no, address, prefix_length, ia_type, subnet_no, state, granted_at, renewed_at, expires_at, reuse_at, version,
    client_key)
  select b.tenant_no, b.address, coalesce((b.association).prefix_length, 32), coalesce((b.association).ia_type, 0),
    b.subnet_no, 'd', now(), now(), now(), now() + make_interval(secs => b.margin),
    nextval('lease_version'), b.client_key
  from batch b
  on conflict (tenant_no, address) do update set
    subnet_no = excluded.subnet_no, state = 'd', version = nextval('lease_version'), hw_type = null,
    hw_address = null, client_id = null, client_key = excluded.client_key, hostname = null, relay = null,
    circuit_id = null, remote_id = null, iaid = null, preferred_lifetime = null, duid = null, link_address = null,
    next_hop = null, interface_id = null, relay_id = null, relay_info = null, vendor_class = null,
    parameter_list = null, accepts_reconfigure = null, client_options = null, fqdn_flags = null, claimed = null,
    granted_at = excluded.granted_at, renewed_at = excluded.renewed_at, expires_at = excluded.expires_at,
    reuse_at = excluded.reuse_at, ended_at = null, taken_since = l.granted_at,
    taken_from = case when l.state = 'a'
      then row(l.client_key, l.hw_type, l.hw_address, l.client_id, l.duid, l.iaid, l.hostname, l.expires_at)::lease_owner
      end
    where l.reuse_at <= now()
  returning l.*
), history as (
  {history of quarantines}
), displaced as (
  {history of takeovers}
)
select tenant_no, address, renewed_at, expires_at, version from won;

-- name: grant_leases
-- Grants addresses of which the server knows no row: a plain insert, which spares the look for a row before it. Where one
-- is there after all the whole statement fails (23505), and its operations are bound.
with fresh as (
  select array(
    select s.fence <= f.fence
    from unnest($3::integer[], $4::bigint[]) with ordinality f (no, fence, place) left join subnet s on s.no = f.no
    order by f.place) as under
), delegations as (
  select may_grant($1, $3, $4) as granted
), batch as (
  select * from unnest($1::lease_request[]) with ordinality
), won as (
  insert into lease as l (
    tenant_no, address, prefix_length, ia_type, subnet_no, state, granted_at, renewed_at, expires_at, reuse_at, version,
    hw_type, hw_address, client_id, client_key, hostname, relay, circuit_id, remote_id, iaid, preferred_lifetime, duid,
    link_address, next_hop, interface_id, relay_id, relay_info, vendor_class, parameter_list, accepts_reconfigure,
    client_options, fqdn_flags)
  select b.tenant_no, b.address, coalesce((b.association).prefix_length, 32), coalesce((b.association).ia_type, 0),
    b.subnet_no, 'a', now(), now(), {end of lifetime},
    {reuse after lifetime}, nextval('lease_version'), b.hw_type, b.hw_address,
    b.client_id, b.client_key, b.hostname, b.relay, b.circuit_id, b.remote_id, (b.association).iaid,
    (b.association).preferred_lifetime, (b.association).duid, (b.association).link_address, (b.association).next_hop,
    (b.association).interface_id, (b.device).relay_id, (b.device).relay_info, (b.device).vendor_class,
    (b.device).parameter_list, (b.device).accepts_reconfigure, (b.device).client_options, b.fqdn_flags
  from batch b where (select under from fresh)[b.place]
    and case when (b.association).ia_type = 25 then (select granted from delegations)[b.ordinality] else true end
  returning l.*
), history as (
  {history of grants}
)
select tenant_no, address, renewed_at, expires_at, version from won;

-- name: register_leases
-- Notes addresses that hosts made themselves (RFC 9686): no row, or one that is free to others by now, or an address that
-- is registered already, by whomever, since only one host can use it. Never a lease that runs or its margin, never what is
-- in quarantine. Refuses nothing for its fence: what a host does is so, whatever the plan says meanwhile.
with batch as (
  select * from unnest($1::lease_request[])
), won as (
  insert into lease as l (
    tenant_no, address, prefix_length, ia_type, subnet_no, state, granted_at, renewed_at, expires_at, reuse_at, version,
    hw_type, hw_address, client_key, hostname, relay, circuit_id, remote_id, preferred_lifetime, duid, link_address,
    next_hop, interface_id, fqdn_flags)
  select b.tenant_no, b.address, 128, (b.association).ia_type, b.subnet_no, 'i', now(), now(),
    {end of lifetime}, {end of lifetime}, nextval('lease_version'),
    b.hw_type, b.hw_address, b.client_key, b.hostname, b.relay, b.circuit_id, b.remote_id,
    (b.association).preferred_lifetime, (b.association).duid, (b.association).link_address, (b.association).next_hop,
    (b.association).interface_id, b.fqdn_flags
  from batch b
  on conflict (tenant_no, address) do update set
    subnet_no = excluded.subnet_no, state = 'i', version = nextval('lease_version'), hw_type = excluded.hw_type,
    hw_address = excluded.hw_address, client_id = null, client_key = excluded.client_key,
    hostname = case when {name stays registered} then l.hostname else excluded.hostname end,
    fqdn_flags = case when {name stays registered} then l.fqdn_flags else excluded.fqdn_flags end, relay = excluded.relay,
    circuit_id = excluded.circuit_id, remote_id = excluded.remote_id, prefix_length = 128, ia_type = excluded.ia_type, iaid = null,
    preferred_lifetime = excluded.preferred_lifetime, duid = excluded.duid, link_address = excluded.link_address,
    next_hop = excluded.next_hop, interface_id = excluded.interface_id, relay_id = null, relay_info = null,
    vendor_class = null, parameter_list = null, accepts_reconfigure = null, client_options = null, claimed = null,
    granted_at = case when l.state = 'i' and l.client_key = excluded.client_key then l.granted_at
      else excluded.granted_at end,
    renewed_at = excluded.renewed_at, expires_at = excluded.expires_at, reuse_at = excluded.reuse_at, ended_at = null,
    taken_since = l.granted_at,
    taken_from = case when l.state = 'a'
      then row(l.client_key, l.hw_type, l.hw_address, l.client_id, l.duid, l.iaid, l.hostname, l.expires_at)::lease_owner
      end
    where l.reuse_at <= now() or l.state = 'i'
  returning l.*
), history as (
  {history of registrations}
), displaced as (
  {history of takeovers}
)
select tenant_no, address, renewed_at, expires_at, version from won;
