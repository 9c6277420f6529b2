"""What fields mean: tokens."""

MEANINGS = {
    "name": "Name of the token, which the audit log shows.",
    "role": "`admin`: everything. `operator`: read, release leases, retry and drain. `viewer`: read.",
    "tenant_id": (
        "Tenant of the token, which can see and change only objects of this tenant. Null: all tenants."
    ),
    "expires_at": "When the token expires. Null: never.",
    "allowed_cidrs": "Networks that the token may be used from. Empty: from any address.",
    "last_used_at": "When the token was last used, accurate to about a minute. Null: never.",
    "prefix": "First characters of the token, which identify it but cannot be used to sign in.",
    "token": "The token itself, for the header Authorization: Bearer. It is shown only once.",
}
