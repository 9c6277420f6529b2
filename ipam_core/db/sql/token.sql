-- name: token_view^
-- A token may be of no tenant, so the join is outer; the hash of its secret is never shown.
select token.no, token.id, token.name, token.role, tenant.id as tenant_id, token.expires_at,
       token.allowed_cidrs, token.last_used_at, token.prefix, token.created_at, token.updated_at
from token left join tenant on tenant.no = token.tenant_no;

-- name: lock_tokens$
-- Writers of tokens follow one another: the first one and the last admin's are decided by all rows.
select pg_advisory_xact_lock(hashtext('token'));

-- name: any_token$
-- Revoked ones count: the bootstrap ends when a token has ever existed.
select exists (select from token);

-- name: other_admins$
-- Admin tokens of no tenant and without expiry, beside this one.
select count(*) from token
where no <> :no::integer and role = 'admin' and tenant_no is null and expires_at is null
  and revoked_at is null;

-- name: find_by_secret^
-- Unknown, expired and revoked look the same. The use is noted at most once a minute, not at every request.
select token.no, token.id, token.name, token.role, token.tenant_no, tenant.id as tenant_id,
       token.allowed_cidrs, token.expires_at,
       coalesce(token.last_used_at < now() - interval '1 minute', true) as note_use
from token left join tenant on tenant.no = token.tenant_no
where token.secret_hash = :secret_hash::bytea and token.revoked_at is null
  and (token.expires_at is null or token.expires_at > now());

-- name: note_use!
-- Asked for at most once a minute a token, because each use would otherwise write a row.
update token set last_used_at = now() where no = :no::integer;

-- name: replace_secret!
-- The old secret is void with the COMMIT; the id, and what the audit trail says of it, stay.
update token set secret_hash = :secret_hash::bytea, prefix = :prefix::text, updated_at = now()
where no = :no::integer;

-- name: revoke!
-- The row stays, because the audit trail refers to it; only the service forgets it.
update token set revoked_at = now(), updated_at = now() where no = :no::integer;
