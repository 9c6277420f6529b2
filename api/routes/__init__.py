"""Routes: one module a noun; what they share is `resource`."""

from api.routes import (
    leases,
    openapi,
    plan,
    search,
    tokens,
)

HANDLERS = [*plan.HANDLERS, *tokens.HANDLERS, *leases.HANDLERS, *search.HANDLERS, *openapi.HANDLERS]
