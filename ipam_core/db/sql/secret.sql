-- name: lock_first$
-- Of two machines that start on a new database one makes the key; the other then has to be given it.
select pg_advisory_xact_lock(hashtext('secret_key'));

-- name: share_fingerprint$
-- Shared until the COMMIT: a rotation waits for those who seal, and they wait for a rotation.
select fingerprint from secret_key for share;

-- name: lock_fingerprint$
-- A rotation waits for all who share it, and whoever seals next waits for the rotation.
select fingerprint from secret_key for update;

-- name: keep_fingerprint!
-- The first key of a database; a process that has another one is refused from now on.
insert into secret_key (fingerprint) values (:fingerprint::text);

-- name: replace_fingerprint!
-- The audit trail knows of it too.
with replaced as (
  update secret_key set fingerprint = :fingerprint::text, updated_at = now() returning fingerprint
)
insert into change (object_type, object_id, action)
select 'secret_key', fingerprint, 'updated' from replaced;

-- name: has_other_versions$
-- Whether a process of another version is alive (see ipam_core.db.migrate), which may not know secrets that are bound to
-- their rows.
select exists (select from node
    where version <> :version::text and state <> 'stopped' and heartbeat_at >= now() - interval '30 s')
  or exists (select from pg_stat_activity
    where datname = current_database() and application_name like 'ipam % on %'
      and split_part(application_name, ' ', 2) <> :version::text);

-- name: read_sealed
-- Everything that is sealed, with its purpose and the id of its row, which are parts of the seal.
select 'dns_server' as purpose, no, id, secret from dns_server where secret is not null
union all
select 'webhook', no, id, secret from webhook
union all
select 'webhook_previous', no, id, previous_secret from webhook where previous_secret is not null;

-- name: reseal_dns_server!
-- A new key seals what the old one opened; nothing of the object changes, so nothing is recorded.
update dns_server set secret = :secret::bytea where no = :no::integer;

-- name: reseal_webhook!
-- As reseal_dns_server.
update webhook set secret = :secret::bytea where no = :no::integer;

-- name: reseal_webhook_previous!
-- As reseal_dns_server.
update webhook set previous_secret = :secret::bytea where no = :no::integer;
