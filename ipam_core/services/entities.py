"""Every entity by the name of its family. What belongs to a tenant is found below it, as its deletion finds it."""

from collections.abc import Iterator
from typing import Any

from ipam_core.services.ddns_updates import DDNS_UPDATES
from ipam_core.services.entity.entity import Entity
from ipam_core.services.nodes import NODES
from ipam_core.services.options import GLOBAL_OPTIONS
from ipam_core.services.tenants import TENANTS
from ipam_core.services.webhooks import DELIVERIES


def with_all_below(entity: Entity[Any]) -> Iterator[Entity[Any]]:
    """Yield the entity, its children and theirs."""
    yield entity
    for child in entity.children:
        yield from with_all_below(child.entity)


FOUND = (*with_all_below(TENANTS), GLOBAL_OPTIONS, DDNS_UPDATES, NODES, DELIVERIES)
ENTITIES: dict[str, Entity[Any]] = {entity.family.name: entity for entity in FOUND}
