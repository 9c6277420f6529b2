-- name: try_lock$
-- Held until the COMMIT of the request; who does not get it meets a request that is still running.
select pg_try_advisory_xact_lock(hashtextextended(
  concat_ws(' ', :token_id::uuid, :method::text, :path::text, :key::text), 0));

-- name: find_answer^
-- A key is good for a day; one and the same may be used by another token, or on another path.
select body_hash, status, headers, body, role from idempotency
where token_id = :token_id::uuid and method = :method::text and path = :path::text and key = :key::text
  and created_at > now() - interval '24 hours';

-- name: keep_answer!
-- A row of more than a day ago may still be there.
insert into idempotency (token_id, method, path, key, body_hash, status, headers, body, role)
values (:token_id::uuid, :method::text, :path::text, :key::text, :body_hash::bytea, :status::smallint,
        :headers::jsonb, :body::bytea, :role::text)
on conflict (token_id, method, path, key) do update set
  body_hash = excluded.body_hash, status = excluded.status, headers = excluded.headers, body = excluded.body,
  role = excluded.role,  created_at = now();
