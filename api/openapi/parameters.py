"""Parameters and responses around the bodies in the OpenAPI document: headers, links, errors by operation."""

from typing import Any

REFERENCE = "#/components/schemas/{name}"

PARAMETERS: dict[str, dict[str, Any]] = {
    "IdempotencyKey": {
        "name": "Idempotency-Key",
        "in": "header",
        "required": False,
        "description": (
            "Key of this request: a repeated create with the same key is performed once. Keys are kept "
            "for 24 hours."
        ),
        "schema": {"type": "string", "minLength": 1, "maxLength": 255, "pattern": "^[!-~]([ -~]*[!-~])?$"},
        "example": "import-7f3a-0001",
    },
    "IfMatch": {
        "name": "If-Match",
        "in": "header",
        "required": False,
        "description": "Perform the request only if the object still has this entity tag.",
        "schema": {"type": "string", "format": "entity-tag", "pattern": '^(\\*|"[!#-~]*")$'},
        "example": "*",
    },
    "IfNoneMatch": {
        "name": "If-None-Match",
        "in": "header",
        "required": False,
        "description": "Answer 304 if the object still has this entity tag.",
        "schema": {"type": "string"},
        "example": '"0123456789abcdef01234567"',
    },
}

HEADERS: dict[str, dict[str, Any]] = {
    "RequestId": {"description": "Id of this request in logs and audit log.", "schema": {"type": "string"}},
    "ETag": {"description": "Changes whenever the object changes.", "schema": {"type": "string"}},
    "Location": {"description": "Path of the new object.", "schema": {"type": "string"}},
    "Replayed": {
        "description": "Present if the response is the stored response of an earlier request.",
        "schema": {"type": "string"},
    },
    "RetryAfter": {"description": "Seconds to wait before a retry.", "schema": {"type": "integer"}},
    "RateLimit": {
        "description": "Remaining requests, and seconds until the limit is reset.",
        "schema": {"type": "string"},
    },
    "RateLimitPolicy": {"description": "The rate limit.", "schema": {"type": "string"}},
}
HEADER_NAMES = {
    "RequestId": "X-Request-Id",
    "ETag": "ETag",
    "Location": "Location",
    "Replayed": "Idempotency-Replayed",
    "RetryAfter": "Retry-After",
    "RateLimit": "RateLimit",
    "RateLimitPolicy": "RateLimit-Policy",
}

ERRORS: dict[int, tuple[str, str]] = {
    400: ("bad_request", "The request is malformed."),
    401: ("unauthorized", "The token is missing or invalid."),
    402: ("license_limit", "The managed address limit is reached."),
    403: ("forbidden", "The role of the token does not permit this."),
    404: ("not_found", "The object does not exist, or it belongs to another tenant."),
    409: (
        "conflict",
        (
            "The request conflicts with existing objects, the tenant has reached a limit, or the same "
            "create is still running."
        ),
    ),
    412: ("precondition_failed", "The object does not match If-Match or If-None-Match."),
    413: ("payload_too_large", "The body is too large."),
    415: ("unsupported_media_type", "The body must be JSON."),
    422: ("validation_error", "A field or parameter is invalid; see `details`."),
    429: ("rate_limited", "Too many requests; see Retry-After."),
    500: ("internal_error", "Internal error; the log has it under the request id."),
    503: ("unavailable", "The database is unavailable; see Retry-After."),
}
ALWAYS = (400, 401, 403, 422, 429, 500, 503)
WITH_BODY = (413, 415)


def header_parameters(method: str, replayed: bool, is_item: bool) -> list[dict[str, str]]:
    names = []
    if replayed:
        names.append("IdempotencyKey")
    if method in ("patch", "delete"):
        names.append("IfMatch")
    if method == "get" and is_item:
        names.append("IfNoneMatch")
    return [{"$ref": f"#/components/parameters/{name}"} for name in names]


def header_references(*names: str) -> dict[str, dict[str, str]]:
    return {HEADER_NAMES[name]: {"$ref": f"#/components/headers/{name}"} for name in names}


def statuses(method: str, path: str, has_body: bool) -> list[int]:
    """Return the errors that an operation can give."""
    found = set(ALWAYS)
    if has_body:
        found |= {*WITH_BODY}
    if "{" in path or has_body:
        found.add(404)
    if method in ("post", "patch", "delete"):
        found.add(409)
    if method in ("patch", "delete"):
        found.add(412)
    if method == "post" and path.endswith(("/reservations", "/assignments", "/reserve", "/bulk")):
        found.add(402)
    return sorted(found)


def error_responses() -> dict[str, dict[str, Any]]:
    """Return the responses by code, for the document's components."""
    return {code: error_response(status) for status, (code, _) in ERRORS.items()}


def error_response(status: int) -> dict[str, Any]:
    code, description = ERRORS[status]
    example = {"error": {"code": code, "message": description, "request_id": "6f1c9f6f3c0d4d2c"}}
    schema = {"$ref": REFERENCE.format(name="ErrorEnvelope")}
    names = ["RequestId"] + (["RetryAfter"] if status in (429, 503) else [])
    return {
        "description": description,
        "headers": header_references(*names),
        "content": {"application/json": {"schema": schema, "example": example}},
    }
