"""Routes: one module a family; `resource` has the shared parts."""

from api.routes.bulk import HANDLERS as BULK
from api.routes.class_values import HANDLERS as CLASS_VALUES
from api.routes.ddns_updates import HANDLERS as DDNS_UPDATES
from api.routes.dns_servers import HANDLERS as DNS_SERVERS
from api.routes.dns_zones import HANDLERS as DNS_ZONES
from api.routes.events import HANDLERS as EVENTS
from api.routes.explain import HANDLERS as EXPLAIN
from api.routes.families import HANDLERS as FAMILIES
from api.routes.history import HANDLERS as HISTORY
from api.routes.leases import HANDLERS as LEASES
from api.routes.netbox import HANDLERS as NETBOX
from api.routes.notifications import HANDLERS as NOTIFICATIONS
from api.routes.openapi import HANDLERS as OPENAPI
from api.routes.operations import HANDLERS as OPERATIONS
from api.routes.search import HANDLERS as SEARCH
from api.routes.server_duid import HANDLERS as SERVER_DUID
from api.routes.spaces import HANDLERS as SPACES
from api.routes.tokens import HANDLERS as TOKENS
from api.routes.usage import HANDLERS as USAGE
from api.routes.webhooks import HANDLERS as WEBHOOKS

HANDLERS = (
    *FAMILIES,
    *CLASS_VALUES,
    *SPACES,
    *USAGE,
    *BULK,
    *DNS_SERVERS,
    *DNS_ZONES,
    *DDNS_UPDATES,
    *NETBOX,
    *WEBHOOKS,
    *NOTIFICATIONS,
    *TOKENS,
    *LEASES,
    *HISTORY,
    *EVENTS,
    *OPERATIONS,
    *SERVER_DUID,
    *SEARCH,
    *EXPLAIN,
    *OPENAPI,
)
