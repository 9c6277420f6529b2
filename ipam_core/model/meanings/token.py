"""What fields mean: tokens."""

MEANINGS = {
    "name": "What people call it; the audit trail shows it.",
    "role": "`admin` may everything, `operator` reads, releases leases, retries and drains, `viewer` reads.",
    "tenant_id": "The only tenant whose objects it sees and changes. Null: all tenants.",
    "expires_at": "When it ends to be valid. Null: never.",
    "allowed_cidrs": "Networks that it may be used from. Empty: from everywhere.",
    "last_used_at": "When it was used last, to the minute or so. Null: never.",
    "prefix": "How the token begins, to tell it from others; too little to use it.",
    "token": "The token itself, for the header Authorization: Bearer. It is shown this once.",
}
