"""Objects in a few words, for messages about them: subnet 10.1.2.0/24 office, option domain-name (15)."""

from collections.abc import Mapping
from typing import Any

from ipam_core.model.families import Family

FIRST = ("cidr", "prefix", "ip", "fqdn", "url")
"""Fields of which an object is called by the first that it has."""
SECOND = ("name", "hostname", "mac", "duid", "client_id", "circuit_id")
"""Fields of which the first that an object has distinguishes it further."""


def title(family: Family, item: Mapping[str, Any]) -> str:
    """Return the family of an object and its name."""
    return " ".join([family.label, *words(item)])


def words(item: Mapping[str, Any]) -> list[str]:
    if "payload" in item and "code" in item:
        return option_key(item)
    if item.get("start_ip"):
        found = [span(str(item["start_ip"]), str(item["end_ip"]))]
    else:
        found = [str(item[name]) for name in FIRST if item.get(name)][:1]
    if "fqdn" in item:
        return [*found, str(item["type"]), str(item["data"])]
    if "token" in item or "role" in item:  # its prefix is the beginning of the secret
        return [str(item["name"])]
    found += [str(item[name]) for name in SECOND if item.get(name)][:1]
    return found or [str(item.get("id", ""))]


def span(first: str, last: str) -> str:
    return first if first == last else f"{first}-{last}"


def option_key(entry: Mapping[str, Any], version: int = 4) -> list[str]:
    """Return the name and code of an option, as domain-name (15) or 224; DHCPv6 is written out, because the families
    use the same codes. `version`: address family of an entry that contains none."""
    from ipam_core.dhcp import registry  # a tenth of a second

    code, family = entry.get("code"), entry.get("family") or version
    known = registry.lookup(family, code) if isinstance(code, int) and family in (4, 6) else None
    facts = [str(code)] if known and not entry.get("vendor_class") else []
    facts += ["DHCPv6"] if family == 6 else []
    name = known.name if facts and known else str("" if code is None else code)
    vendor = [f"of {entry['vendor_class']}"] if entry.get("vendor_class") else []
    return [name, *([f"({', '.join(facts)})"] if facts else []), *vendor] if name else []
