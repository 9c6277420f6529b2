"""Hosts that the data of a record names, and what is wrong with them: the syntax that BIND's check-names asks for, and
whether a target inside the zone has an address.

An owner is relative to its zone (`@`: the zone itself); names in full have no closing dot and are in lower case.
"""

import re
from typing import Literal

from ipam_core.dns.content import Names, above
from ipam_core.dns.names import APEX, is_within

ADDRESSES = frozenset({"A", "AAAA"})

HOSTS = {"NS": 0, "MX": 1, "SRV": 3, "AFSDB": 1, "RT": 1, "HTTPS": 1, "SVCB": 1, "PTR": 0}
"""At which word of its data a type names a host."""
MAILBOXES = {"RP": (0,), "MINFO": (0, 1)}
"""At which words of its data a type names a mailbox, whose first label may be anything (RFC 1035 section 3.3)."""
OWNERS = frozenset({"A", "AAAA", "MX"})
"""Types whose owner is a host."""

HOST = re.compile(r"[a-z0-9](?:[a-z0-9-]*[a-z0-9])?(?:\.[a-z0-9](?:[a-z0-9-]*[a-z0-9])?)*", re.IGNORECASE)
POLICIES = frozenset({"_spf", "_spf_verify", "_spf_rate"})  # RFC 7208 section 5.7 and appendix D.1
CATALOGUE = "gc._msdcs."  # of Active Directory's global catalog
REVERSE = ("in-addr.arpa", "ip6.arpa")

Fault = Literal["alias", "absent", "redirected", "no_address", "no_glue"]

IS: dict[Fault, str] = {
    "alias": "is an alias (CNAME)",
    "absent": "does not exist in the zone",
    "redirected": "lies below a DNAME record, which redirects it",
    "no_address": "has no address (A or AAAA)",
    "no_glue": "lies below a delegation and has no address here (glue)",
}


def is_host(name: str) -> bool:
    """Return whether a name in full is one of a host (RFC 952, RFC 1123 section 2.1); the root is one."""
    return name == "" or HOST.fullmatch(name) is not None


def may_own(fqdn: str, kind: str) -> bool:
    """Return whether BIND's check-names takes the owner for a record of the type."""
    if kind not in OWNERS or is_host(fqdn.removeprefix("*.")):
        return True
    if kind == "MX":
        return False
    return fqdn.startswith(CATALOGUE) or (kind == "A" and not POLICIES.isdisjoint(fqdn.split(".")))


def bad_host(fqdn: str, kind: str, data: str) -> str | None:
    """Return the name in a record's data that BIND's check-names refuses; None where there is none."""
    words = data.split()
    for at in MAILBOXES.get(kind, ()):
        if not is_host(domain_of(words[at])):
            return words[at]
    at = HOSTS.get(kind, -1)
    if at < 0 or len(words) <= at or (kind == "PTR" and not is_reverse(fqdn)):
        return None
    if kind in ("HTTPS", "SVCB") and words[0] == "0":
        return None
    return None if is_host(words[at].removesuffix(".")) else words[at]


def domain_of(mailbox: str) -> str:
    """Return what follows the first label, in which a dot may be escaped."""
    parts = re.split(r"(?<!\\)\.", mailbox.removesuffix("."), maxsplit=1)
    return parts[1] if len(parts) > 1 else ""


def is_reverse(fqdn: str) -> bool:
    """Return whether an owner's PTR record names a host; service discovery (RFC 6763) has others."""
    return any(is_within(fqdn, zone) for zone in REVERSE) and "._dns-sd." not in fqdn


def target_of(kind: str, data: str) -> str | None:
    """Return the name in full to which a record leads: in lower case, without the closing dot. None: to none, which is
    also what the root means (RFC 2782, RFC 7505)."""
    at = 0 if kind in ("CNAME", "DNAME") else HOSTS.get(kind, -1)
    words = data.split()
    if at < 0 or len(words) <= at:
        return None
    return words[at].lower().removesuffix(".") or None


def owner_of(target: str, zone: str) -> str | None:
    """Return a name in full as an owner of the zone; None where it lies outside."""
    if target == zone:
        return APEX
    return target.removesuffix(f".{zone}") if is_within(target, zone) else None


def cut_of(names: Names, owner: str) -> str | None:
    """Return the highest owner at or above a name that NS records delegate."""
    for each in reversed([owner, *above(owner)]):
        if each != APEX and "NS" in names.counts.get(each, ()):
            return each
    return None


def fault_of(names: Names, owner: str, *, needs_address: bool = True) -> Fault | None:
    """Return what is wrong with a target inside the zone; None where nothing is, or where another zone knows."""
    if cut_of(names, owner) is not None:
        return None
    if any("DNAME" in names.counts.get(each, ()) for each in above(owner)):
        return "redirected"
    kinds = names.found(owner)
    if kinds is None:
        return "absent"
    if not needs_address:
        return None
    if "CNAME" in kinds:
        return "alias"
    return None if ADDRESSES & kinds.keys() else "no_address"


def server_fault(names: Names, owner: str) -> Fault | None:
    """Return what is wrong with a name server inside the zone: below a delegation it needs an address here (glue, RFC
    1034 section 4.2.1)."""
    if cut_of(names, owner) is None:
        return fault_of(names, owner)
    return None if ADDRESSES & names.counts.get(owner, {}).keys() else "no_glue"
