-- depends: 0050.outbound

-- An answer is replayed only to the role for which it was written. Null: kept by the version before.
alter table idempotency add column role text;

-- Payloads of a tenant's webhooks no longer name the tokens of others; those that wait or are kept are written anew once.
update webhook_delivery
set payload = jsonb_set(payload, '{data}', payload -> 'data'
  || '{"token_id": null, "token_name": null, "remote_address": null, "request_id": null}')
from webhook
where webhook.no = webhook_delivery.webhook_no and webhook.tenant_no is not null
  and payload -> 'data' ? 'token_name'
  and not exists (select from token
    where token.id = (payload -> 'data' ->> 'token_id')::uuid and token.tenant_no = webhook.tenant_no);
