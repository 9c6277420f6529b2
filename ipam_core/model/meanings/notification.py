"""What fields mean: notifications."""

MEANINGS = {
    "name": "Name of the notification, unique in the tenant.",
    "tenant_id": "Tenant whose events are sent. Null: all tenants.",
    "kind": (
        "Target: `slack`, `teams` (a workflow that posts a message when a webhook request is received), "
        "`mattermost`, `ntfy`, or `mail` through the SMTP server of the settings."
    ),
    "enabled": "False: no events are sent.",
    "disabled_reason": "Reason for which the service disabled the notification. Null: it did not.",
    "url": (
        "For chats: URL of the incoming webhook; for `ntfy`: the server, such as https://ntfy.sh/. Only admins see "
        "more than the host. Null: for `mail`."
    ),
    "topic": "For `ntfy`: the topic. Null: for other kinds, and for all but admins.",
    "priority": "For `ntfy`: priority of all messages, 1 to 5. Null: 3 for info, 4 for warning, 5 for critical.",
    "recipients": "For `mail`: addresses, at most 20.",
    "events": (
        "Event types, all types of a kind (`pool.*`), or `*`. Empty: pools, DNS updates that failed, secondaries, "
        "relays, nodes and the managed address limit; no leases and no changes."
    ),
    "severity": "Lowest severity that is sent: `info`, `warning` or `critical`.",
    "networks": "Send only events about addresses or networks within these. Empty: all events.",
    "zones": "Send only events about names at or below these zones. Empty: all events.",
}
