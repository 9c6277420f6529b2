"""The address plan: tenants, prefixes, subnets and what stands inside them."""

from api.routes.resource import Parent, Resource, create_route, handlers, list_route
from ipam_core.services.assignments import ASSIGNMENTS
from ipam_core.services.client_classes import CLIENT_CLASSES
from ipam_core.services.excludes import EXCLUDES
from ipam_core.services.option_definitions import OPTION_DEFINITIONS
from ipam_core.services.options import GLOBAL_OPTIONS, OPTIONS
from ipam_core.services.pools import POOLS
from ipam_core.services.prefixes import PREFIXES
from ipam_core.services.reservations import RESERVATIONS
from ipam_core.services.subnets import SUBNETS
from ipam_core.services.tenants import TENANTS
from ipam_core.services.trusted_relays import TRUSTED_RELAYS

IN_PREFIX = Parent(PREFIXES, "prefixes", "prefix_id")
IN_SUBNET = Parent(SUBNETS, "subnets", "subnet_id")
OPTION_SCOPES = (
    IN_SUBNET,
    Parent(POOLS, "pools", "pool_id"),
    Parent(RESERVATIONS, "reservations", "reservation_id"),
    Parent(CLIENT_CLASSES, "client-classes", "class_id"),
)

RESOURCES = (
    Resource(TENANTS, "tenants"),
    Resource(PREFIXES, "prefixes"),
    Resource(SUBNETS, "subnets"),
    Resource(POOLS, "pools", (IN_SUBNET,), top=False),
    Resource(EXCLUDES, "excludes", (IN_SUBNET,), top=False),
    Resource(RESERVATIONS, "reservations", (IN_SUBNET,), top=False),
    Resource(OPTIONS, "options", OPTION_SCOPES, top=False),
    Resource(OPTION_DEFINITIONS, "option-definitions"),
    Resource(ASSIGNMENTS, "assignments"),
    Resource(CLIENT_CLASSES, "client-classes"),
    Resource(TRUSTED_RELAYS, "trusted-relays"),
)

HANDLERS = [
    *(handler for resource in RESOURCES for handler in handlers(resource)),
    list_route(Resource(GLOBAL_OPTIONS, "global-options")),
    create_route(Resource(GLOBAL_OPTIONS, "options"), "/global-options", None, "create_global_option"),
]
