"""Levels of prefixes: ours do not overlap inside a tenant, NetBox's nest.

Prefixes come in the order of their addresses, the larger first, so that all that lies in one follows it at once. One of
each tenant has to be remembered, however many come.
"""

from collections.abc import Iterator
from ipaddress import ip_network
from typing import Literal, NamedTuple

import msgspec

from ipam_core.model.netbox import Reason
from ipam_core.model.values import Network

Order = tuple[int, int, int]


class Candidate(msgspec.Struct, frozen=True, array_like=True):
    """A prefix of NetBox that could be taken, and the tenant that it would come to."""

    netbox_id: int
    cidr: str
    tenant_id: str
    description: str

    @property
    def network(self) -> Network:
        """Raises ValueError where a cursor was not ours."""
        return ip_network(self.cidr)


class Verdict(NamedTuple):
    """`reason` None: it is taken."""

    candidate: Candidate
    reason: Reason | None = None
    detail: str = ""


def order(network: Network) -> Order:
    """Return the order in which PostgreSQL sorts networks, as NetBox does by `ordering=prefix`."""
    return network.version, int(network.network_address), network.prefixlen


def lies_in(inner: Network, outer: Network) -> bool:
    return inner.version == outer.version and inner.subnet_of(outer)  # type: ignore[arg-type]  # of one family


class Chooser:
    """`held`: by tenant, the last that was taken (outermost), or that waits for what follows (innermost)."""

    def __init__(self, level: Literal["outermost", "innermost"], held: list[Candidate] | None = None) -> None:
        self.level = level
        self.held = {each.tenant_id: each for each in held or ()}

    def offer(self, each: Candidate) -> Iterator[Verdict]:
        before = self.held.get(each.tenant_id)
        if before is not None and before.cidr == each.cidr:
            yield Verdict(each, "duplicate", f"NetBox has a duplicate, as {before.netbox_id}")
        elif self.level == "outermost":
            yield self.offer_outermost(each, before)
        else:
            yield from self.offer_innermost(each, before)

    def offer_outermost(self, each: Candidate, before: Candidate | None) -> Verdict:
        if before is not None and lies_in(each.network, before.network):
            return Verdict(each, "nested", f"it is inside {before.cidr}, the outermost prefix")
        self.held[each.tenant_id] = msgspec.structs.replace(each, description="")
        return Verdict(each)

    def offer_innermost(self, each: Candidate, before: Candidate | None) -> Iterator[Verdict]:
        self.held[each.tenant_id] = each
        if before is not None and lies_in(each.network, before.network):
            yield Verdict(before, "holds_others", f"{each.cidr} is inside it")
        elif before is not None:
            yield Verdict(before)

    def settle(self, last: Network | None) -> Iterator[Verdict]:
        """Let go of what nothing more can lie in; `last` came last, and None: nothing more comes."""
        for each in list(self.held.values()):
            if last is None or not lies_in(last, each.network):
                del self.held[each.tenant_id]
                if self.level == "innermost":
                    yield Verdict(each)
