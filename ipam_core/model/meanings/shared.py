"""What fields mean that many families share."""

MEANINGS = {
    "id": "Names the object in paths. Opaque: made by the service, never reused.",
    "created_at": "When it was made, in UTC with milliseconds (RFC 3339).",
    "updated_at": "When it was changed last, in UTC with milliseconds (RFC 3339).",
    "description": "For people; the service reads nothing into it.",
    "tenant_id": "The tenant that it belongs to. Left out or null in a create: the default tenant.",
    "subnet_id": "The subnet that it stands in.",
}
