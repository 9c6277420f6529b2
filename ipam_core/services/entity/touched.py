"""Objects that the writes of a transaction touch, as far as a dry run tells of it: where clients could lose what they
have, and what is deleted."""

from ipam_core.model.base import Model
from ipam_core.model.families import Level, objects
from ipam_core.model.impact import SHOWN

LEASING = {family.singular for family in objects(Level.SUBNET)} | {"subnet", "client_class"}
"""Objects on which it hangs whether a client keeps its address."""
HOSTS = ("reservation", "assignment")
FALLING = {*HOSTS, "dns_record"}


class Touched:
    """Touched objects of one transaction. `deleted`: by type all their ids are counted, and the first of them kept."""

    def __init__(self) -> None:
        self.subnets: set[int] = set()
        self.tenants: set[int] = set()
        self.deleted: dict[str, list[Model]] = {name: [] for name in FALLING}
        self.counts = dict.fromkeys(FALLING, 0)
        self.hosts: list[tuple[int, str]] = []
        """Tenant and address of each host whose reservation or assignment is deleted: DNS may have its name."""
        self.nameless: set[int] = set()
        """Subnets whose hosts shall have no names in DNS any more."""

    def note(
        self,
        tenant_no: int | None,
        subnet_no: int | None,
        object_type: str,
        before: Model | None,
        after: Model | None,
    ) -> None:
        if object_type in LEASING:
            if subnet_no is not None:
                self.subnets.add(subnet_no)
            elif tenant_no is not None:
                self.tenants.add(tenant_no)
        if getattr(before, "ddns_enabled", False) and not getattr(after, "ddns_enabled", True):
            self.nameless.add(subnet_no or 0)
        if object_type in FALLING and before is not None and after is None:
            self.counts[object_type] += 1
            if len(self.deleted[object_type]) < SHOWN:
                self.deleted[object_type].append(before)
            ip = getattr(before, "ip", None) if object_type in HOSTS else None
            if ip is not None and tenant_no is not None:
                self.hosts.append((tenant_no, ip))
