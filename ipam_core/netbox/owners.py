"""Tenants and VRFs of a NetBox by the names that people give them."""

from collections.abc import Sequence
from typing import NamedTuple

from ipam_core.errors import ValidationError
from ipam_core.netbox.client import NetBox
from ipam_core.netbox.shapes import Reference

NOBODY = "null"  # NetBox's word for "of none" in filters


class Kind(NamedTuple):
    """`field`: of requests and of a prefix; `names`: by which one is found, the first before the others."""

    field: str
    path: str
    names: Sequence[str]
    permission: str


KINDS = {
    "tenant": Kind("tenant", "/tenancy/tenants/", ("slug", "name"), "to view tenants (tenancy.view_tenant)"),
    "vrf": Kind("vrf", "/ipam/vrfs/", ("name", "rd"), "to view VRFs (ipam.view_vrf)"),
}


async def find(netbox: NetBox, kind: Kind, text: str) -> Reference | None:
    """Raises ValidationError where several bear the name."""
    for name in kind.names:
        query = ((name, text), ("limit", "2"))
        found = await netbox.page(kind.path, query, Reference, kind.permission)
        if len(found.results) > 1:
            raise ValidationError(kind.field, f"NetBox has several whose {name} is {text!r}")
        if found.results:
            return found.results[0]
    return None


async def find_named(netbox: NetBox, kind: Kind, text: str) -> int | None:
    """The id of what a request names; None for NOBODY. Raises ValidationError where there is none."""
    if text == NOBODY:
        return None
    found = await find(netbox, kind, text)
    if found is None:
        raise ValidationError(kind.field, f"NetBox has none whose {' or '.join(kind.names)} is {text!r}")
    return found.id
