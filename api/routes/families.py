"""The routes of all families that clients write: tenants, prefixes, subnets and their objects, DNS."""

from typing import Any

from api.routes.resource import Resource, create_route, handlers, list_route
from ipam_core.model.families import PLAIN, Family
from ipam_core.services.entities import ENTITIES
from ipam_core.services.entity.entity import Entity


def parents(family: Family) -> tuple[Entity[Any], ...]:
    return tuple(ENTITIES[name] for name in family.above)


RESOURCES = tuple(Resource(ENTITIES[family.name], parents(family)) for family in PLAIN)
GLOBAL_OPTIONS = ENTITIES["global-options"]

HANDLERS = [
    *(handler for resource in RESOURCES for handler in handlers(resource)),
    list_route(Resource(GLOBAL_OPTIONS)),
    create_route(Resource(GLOBAL_OPTIONS, items="options"), "/global-options", named="create_global_option"),
]
