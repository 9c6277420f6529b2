"""Warnings about a record that is probably a mistake, although it is stored: a name that lacks its closing dot, and a
target inside the zone that does not exist or is an alias."""

from collections.abc import Iterable

from ipam_core.dns.content import Names
from ipam_core.dns.names import APEX, is_within
from ipam_core.dns.targets import IS, fault_of, is_reverse, owner_of, server_fault, target_of

TOP = frozenset({"arpa", "biz", "com", "edu", "gov", "info", "int", "mil", "net", "org"})
"""Domains of the world by which a name looks like one in full."""
ADDRESSED = frozenset({"MX", "SRV"})
FOLLOWED = ADDRESSED | {"NS", "CNAME", "HTTPS", "SVCB"}

DOUBLED = (
    "{name} ends with the zone's name twice. If {meant} is meant, end the name with a dot in a zone file, or enter it "
    "without the zone's name"
)
REVERSED = (
    "{name} lies in the reverse zone itself. If {meant} is meant, end the name with a dot in a zone file"
)
FULL = (
    "{name}.{zone} lies in the zone. If {name} is meant, end the name with a dot; it belongs to another zone"
)
BARE = "{name} is taken as a name in full. If {meant} is meant, enter it in full"


def warnings(name: str, kind: str, data: str, zone: str, names: Names) -> list[str]:
    """Return what is probably wrong with a record. `names`: records of the zone at the target, above it, and at
    wildcards there."""
    found = []
    if name == zone or is_within(name, zone):
        found.append(doubled(f"{name}.{zone}", zone))
    elif looks_full(name):
        found.append(FULL.format(name=name, zone=zone))
    target = target_of(kind, data)
    if target is None:
        return found
    if is_within(target, f"{zone}.{zone}"):
        return [*found, doubled(target, zone)]
    owner = owner_of(target, zone)
    if kind == "PTR" and owner is not None and is_reverse(f"{name}.{zone}"):
        return [*found, REVERSED.format(name=target, meant=owner)]
    if owner is None:
        if kind != "PTR" and target in names.counts:
            found.append(BARE.format(name=f"{target}.", meant=f"{target}.{zone}."))
        return found
    if looks_full(owner):
        return [*found, FULL.format(name=owner, zone=zone)]
    if kind in FOLLOWED:
        needs_address = kind in ADDRESSED
        fault = (
            server_fault(names, owner)
            if kind == "NS"
            else fault_of(names, owner, needs_address=needs_address)
        )
        if fault is not None:
            found.append(f"the target {target} {IS[fault]}")
    return found


def looks_full(owner: str) -> bool:
    """Return whether an owner ends like a name of the world, such as www.example.com in the zone example.net."""
    return "." in owner and owner.rpartition(".")[2].lower() in TOP


def doubled(name: str, zone: str) -> str:
    return DOUBLED.format(name=name, meant=name.removesuffix(f".{zone}"))


def near(records: Iterable[tuple[str, str, str]]) -> Names:
    """Return the names of a part of a zone."""
    return Names([*records, (APEX, "SOA", "")])
