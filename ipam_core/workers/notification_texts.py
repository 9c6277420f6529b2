"""Texts of notifications about an event: one sentence, the facts beside it, and a link to the console.

All texts are plain: characters that are not printable become spaces, so that no name of an object can begin a line, a
header or a direction of writing of its own. The formats escape what is left (notification_formats.py).
"""

from collections.abc import Callable, Mapping
from typing import Any, NamedTuple
from urllib.parse import quote

from ipam_core.model.credential_url import host_alone
from ipam_core.model.event import SUMMARY, TEST
from ipam_core.model.families import FAMILIES, PLAIN, WITH_SECRETS, in_words
from ipam_core.model.notification import Severity, severity_of

LONGEST = 200
"""Characters of a value."""
LONGEST_SENTENCE = 600

Data = Mapping[str, Any]


class Message(NamedTuple):
    """`facts`: label and value. `link`: empty if the setting public_url is not set."""

    sentence: str
    severity: Severity
    type: str
    at: str
    facts: tuple[tuple[str, str], ...] = ()
    link: str = ""


def message_of(payload: Data, public_url: str = "") -> Message:
    """Return the message about an event as receivers get it: `type`, `timestamp` and `data`."""
    type_, data = str(payload["type"]), payload["data"]
    facts = tuple(
        (label, plain(data[name])) for name, label in FACTS.items() if data.get(name) not in (None, "")
    )
    return Message(
        sentence=plain(sentence(type_, data), LONGEST_SENTENCE),
        severity=severity_of(type_),
        type=type_,
        at=plain(payload["timestamp"]),
        facts=facts,
        link=f"{public_url.rstrip('/')}/console{place(type_, data)}" if public_url else "",
    )


FACTS = {
    "detail": "Detail",
    "error": "Error",
    "last_refusal": "Last refusal",
    "cidr": "Network",
    "relay": "Relay agent",
    "expires_at": "Expires",
    "token_name": "By",
    "remote_address": "From",
}
"""Fields of an event that are shown beside its sentence."""


def plain(value: Any, longest: int = LONGEST) -> str:
    """Return a value as printable text of one line."""
    text = "".join(char if char.isprintable() else " " for char in str(value))
    return text if len(text) <= longest else text[: longest - 1] + "…"


def sentence(type_: str, data: Data) -> str:
    family, _, word = type_.partition(".")
    if type_ in SENTENCES:
        return SENTENCES[type_](data)
    if family == "lease":
        return lease(word, data)
    return change(family, word, data)


def name_of(data: Data) -> str:
    return str(data.get("name") or "without a name")


def pool(data: Data) -> str:
    start, end = data.get("start_ip"), data.get("end_ip")
    range_ = f"{start}-{end}" if start else ""
    return f"Pool {data.get('name') or range_ or 'of prefixes'} in {data.get('cidr')}"


def use(data: Data) -> str:
    return f"{data.get('used')} of {data.get('usable')} in use"


def update(data: Data) -> str:
    return f"The name {data['fqdn']} ({data.get('ip')})" if data.get("fqdn") else "The clients of a subnet"


def node(data: Data) -> str:
    return f"{ROLES.get(str(data.get('role')), 'The process')} {name_of(data)}"


def secondary(data: Data) -> str:
    return f"Secondary {name_of(data)} ({data.get('address')}) of {data.get('zone')}"


ROLES = {"dhcp": "The DHCPv4 server", "dhcp6": "The DHCPv6 server", "worker": "The worker", "api": "The API server",
         "dns": "The DNS server"}  # fmt: skip


def behind(data: Data) -> str:
    state, serial = data.get("state"), data.get("serial")
    if state == "behind":
        return f"{secondary(data)} is behind: serial {serial} instead of {data.get('zone_serial')}."
    if state == "ahead":
        return f"{secondary(data)} has the newer serial {serial}; the zone has {data.get('zone_serial')}."
    return f"{secondary(data)} does not report a serial."


def summary(data: Data) -> str:
    events = sorted(data["events"].items(), key=lambda each: (-each[1], each[0]))
    told = ", ".join(f"{count} {type_}" for type_, count in events)
    return f"{data['count']} more events from {data['since']} to {data['until']}: {told}."


SENTENCES: dict[str, Callable[[Data], str]] = {
    "pool.utilization_high": lambda data: f"{pool(data)} is almost full: {use(data)}.",
    "pool.exhausted": lambda data: f"{pool(data)} is full: {use(data)}.",
    "pool.decline_storm": lambda data: (
        f"{pool(data)}: a client declines so many addresses that {data.get('ip')} stays in service."
    ),
    "client.identity_shared": lambda data: (
        f"Two clients use the MAC address {data.get('mac') or '(unknown)'} at the same time ({data.get('ip')})."
    ),
    "ddns.applied": lambda data: f"{update(data)} was written to DNS.",
    "ddns.failed": lambda data: f"{update(data)} could not be written to DNS.",
    "ddns.conflict": lambda data: f"{update(data)} belongs to another client or to an operator.",
    "dns.secondary_behind": behind,
    "dns.secondary_current": lambda data: f"{secondary(data)} is current again.",
    "relay.untrusted": lambda data: (
        f"Relay agent {data.get('address')} is not trusted; its packets are dropped."
    ),
    "node.up": lambda data: f"{node(data)} is ready.",
    "node.down": lambda data: f"{node(data)} is down: no heartbeat for {data.get('silent_seconds')} seconds.",
    "node.degraded": lambda data: f"{node(data)} reports a problem.",
    "license.threshold": lambda data: (
        f"{data.get('managed_ips')} of {data.get('managed_ips_limit')} managed addresses are used "
        f"({data.get('percent')} %)."
    ),
    TEST: lambda data: f"This is a test of the notification {name_of(data)}.",
    SUMMARY: summary,
}

LEASES = {
    "granted": "was leased to",
    "renewed": "was renewed by",
    "released": "was released by",
    "expired": "expired; it belonged to",
    "declined": "was declined by",
    "revoked": "was revoked from",
    "registered": "was registered by",
}


def lease(word: str, data: Data) -> str:
    identity = data.get("mac") or data.get("duid") or data.get("client_id")
    hostname = data.get("hostname")
    client = f"{hostname} ({identity})" if hostname and identity else hostname or identity or "a client"
    return f"{data.get('ip')} {LEASES.get(word, word)} {client}."


SINGULAR = {family.singular: family for family in (*PLAIN, *WITH_SECRETS)}


def change(family: str, word: str, data: Data) -> str:
    known = SINGULAR.get(family)
    words = known.label if known else in_words(family)
    by = f" by {data['token_name']}" if data.get("token_name") else ""
    return f"{words[:1].upper()}{words[1:]} {object_name(family, data)} was {word}{by}."


def object_name(family: str, data: Data) -> str:
    """Return what people call the object of a change. A URL may be a secret, so its host has to do."""
    fields = data.get("after") or data.get("before") or {}
    known = SINGULAR.get(family)
    for field in ("name", *(known.names if known else ())):
        if fields.get(field) not in (None, ""):
            return host_alone(str(fields[field])) if field == "url" else str(fields[field])
    return str(data.get("object_id") or "")


def place(type_: str, data: Data) -> str:
    """Return the path of the screen that shows more, below the console."""
    family = type_.partition(".")[0]
    subnet, id_ = data.get("subnet_id"), data.get("object_id") or data.get("zone_id")
    if family in ("dns", "dns_zone") and id_:
        return f"/dns/zones/{quote(str(id_), safe='')}"
    if family == "subnet" and id_:
        return f"/subnets/{quote(str(id_), safe='')}"
    if family == "lease" and data.get("lease_id"):
        return f"/leases?lease={quote(str(data['lease_id']), safe='')}"
    if subnet:
        return f"/subnets/{quote(str(subnet), safe='')}"
    return PLACES.get(family, "/overview")


PLACES = {"node": "/nodes", "relay": "/relays", "ddns": "/dns", "dns": "/dns"} | {
    family.singular: "/audit" for family in FAMILIES.values() if family in (*PLAIN, *WITH_SECRETS)
}
