-- name: record_failed_logins!
-- Rows of the audit trail without a notification: no server reloads for them. A token that is expired, revoked or used from
-- elsewhere is still known by its hash.
insert into change (tenant_no, object_type, object_id, action, after, token_id, token_name, remote_address, request_id)
(select token.tenant_no, 'failed_login', coalesce(token.id::text, '-'), 'created',
  jsonb_build_object('attempts', tried.attempts, 'first_at', tried.first_at, 'last_at', tried.last_at, 'reason', case
    when token.no is null then 'unknown_token' when token.revoked_at is not null then 'revoked'
    when token.expires_at <= now() then 'expired' else 'address' end),
  token.id, token.name, tried.address, tried.request_id
from jsonb_to_recordset(:rows::jsonb) as tried (
  address inet, secret_hash text, request_id text, attempts integer, first_at text, last_at text)
left join token on token.secret_hash = decode(tried.secret_hash, 'hex')
order by tried.attempts desc)
union all
select null, 'failed_login', '-', 'created', jsonb_build_object('attempts', :others::bigint, 'reason', 'others'),
  null, null, null, null
where :others::bigint > 0;
