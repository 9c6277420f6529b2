"""What fields mean: webhooks."""

MEANINGS = {
    "url": "Where messages are posted to, by HTTP or HTTPS, without credentials in it. Only admins see all of it.",
    "tenant_id": "The tenant whose events it hears. Null: those of all tenants.",
    "events": "Types of events, or all of a kind (`lease.*`), or `*`. Empty: all but lease.renewed.",
    "enabled": "False: nothing is sent.",
    "disabled_reason": "Why the service itself switched it off. Null: it did not.",
    "secret": (
        "What messages are signed with (Standard Webhooks): whsec_ and 24 to 64 octets in base64. It is never shown "
        "again. Left out in a create: one is made, and shown once."
    ),
    "previous_secret_until": (
        "Until when messages are signed with the secret before too, after a rotation. Null: with one alone."
    ),
    "DeadDelivery.url": "Where it was sent. Only admins see more than the host.",
    "webhook_id": "The webhook that it was sent to.",
    "message_id": "The header webhook-id, the same at each attempt.",
    "event": "Type of the event.",
    "state": "`pending`, `delivered`, `failed` (it will be tried again) or `dead` (it will not).",
    "attempts": "How often it was tried.",
    "response_status": "HTTP status of the last answer. Null: there was none.",
    "latency_ms": "How long the last attempt took, in milliseconds. Null: there was none.",
    "response": "How the last answer began. Null: there was none, or the reader is no admin.",
    "last_error": "Why the last attempt failed. Null: it did not.",
    "next_attempt_at": "When it will be tried next. Null: not at all.",
    "delivered_at": "When it was taken. Null: not yet.",
    "payload": "The body that is sent, as far as the reader may see it.",
}
