"""What fields mean: webhooks."""

MEANINGS = {
    "url": "Where messages are posted to, by HTTP or HTTPS, without credentials in it. Only admins see all of it.",
    "tenant_id": "Tenant whose events are sent. Null: all tenants.",
    "events": "Event types, all types of a kind (`lease.*`), or `*`. Empty: all but lease.renewed.",
    "enabled": "False: no events are sent.",
    "disabled_reason": "Reason for which the service disabled the webhook. Null: it did not.",
    "secret": (
        "Secret that signs messages (Standard Webhooks): whsec_ and 24 to 64 octets in base64. It is "
        "never shown again. Left out in a create: the service generates one and shows it once."
    ),
    "previous_secret_until": (
        "Time until which messages are also signed with the previous secret, after a rotation. Null: "
        "with one secret only."
    ),
    "DeadDelivery.url": "Where it was sent; of a mail, mailto: and its recipients. Only admins see more than the host.",
    "webhook_id": "Webhook of the delivery. Null: it belongs to a notification.",
    "notification_id": "Notification of the delivery. Null: it belongs to a webhook.",
    "message_id": "Header webhook-id, the same in each attempt. A mail has the id of the delivery in its Message-ID.",
    "event": "Type of the event.",
    "state": "`pending`, `delivered`, `failed` (it will be retried) or `dead` (it will not).",
    "attempts": "Number of attempts.",
    "response_status": "HTTP status, or SMTP reply code, of the last response. Null: there was none.",
    "latency_ms": "Duration of the last attempt in milliseconds. Null: there was none.",
    "response": "Beginning of the last response. Null: there was none, or the reader is not an admin.",
    "last_error": "Reason why the last attempt failed. Null: it did not fail.",
    "next_attempt_at": "Time of the next attempt. Null: there will be none.",
    "delivered_at": "When the endpoint accepted the event. Null: not yet.",
    "payload": (
        "Body of the request, as far as the reader may see it; for a notification, the event that its text is made of."
    ),
}
