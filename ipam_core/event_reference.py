"""Generator of docs/reference/events.md from the types of events, their texts and the fields of the models."""

from collections.abc import Iterator

import msgspec

from ipam_core.model.event import OFF_BY_DEFAULT, SYSTEM
from ipam_core.model.event_texts import TEXTS
from ipam_core.model.families import PLAIN, WITH_SECRETS
from ipam_core.model.field_docs import meaning
from ipam_core.model.history import EVENTS as LEASE_WORDS
from ipam_core.model.history import AuditEntry, LeaseEvent

NAME = "reference/events.md"
WHEN = {
    "granted": "A client received an address or a prefix that it did not have.",
    "renewed": "A client extended its lease. Webhooks and streams send it only on request.",
    "released": "A client gave its lease back, or an operator released it.",
    "expired": "A lease ended because nobody renewed it.",
    "declined": "A client reported that another machine uses the address, or a ping was answered.",
    "revoked": "An operator took the lease back; the client is refused at its next renewal.",
    "registered": "A DHCPv6 client registered an address that it chose itself (RFC 9686).",
}
HEAD = """# Events

Webhooks, `GET /events` and its stream carry the same events.
[Webhooks and event streams](webhooks.md) describes how they are delivered. This page is generated
from the code.

## Envelope

The `id` identifies the event in lists, streams and deliveries; deliveries send it as `webhook-id`.
The `timestamp` is the time of the event in UTC (RFC 3339).
The `type` is one of the types below.
The `tenant_id` is the tenant of the event. Null: the event belongs to no tenant.
The `data` contains the facts. Each type below lists its fields.

A subscription names types or patterns: `lease.*` selects all types of a kind, `*` selects all.
Without any, it selects all types except {off}.

"""
LEASES = """## Leases

A DHCP server or an operator wrote a lease. `data` contains the fields of `/lease-events` and
`version`, which grows with each write of an address.

"""
OBJECTS = """## Objects

Somebody created, changed or deleted an object through the API. The type is the kind of the object, a
dot, and `created`, `updated` or `deleted`, for example `subnet.updated`. The kinds are:
{kinds}.

`data` contains the fields of `/audit`. Viewers and operators receive `object_type`, `object_id`,
`subnet_id` and `action` only. Only admins receive events of tokens. `url` of webhooks and
notifications is a credential, so events contain only its scheme, host and port. `topic` of
notifications is one too, so it is null.

"""
SERVICE = "## The service\n\n"


def text() -> str:
    """Return the page."""
    kinds = ", ".join(sorted(f"`{family.singular}`" for family in (*PLAIN, *WITH_SECRETS)))
    off = ", ".join(f"`{type_}`" for type_ in sorted(OFF_BY_DEFAULT))
    parts = [
        HEAD.format(off=off),
        LEASES,
        *lease_types(),
        *fields_of(LeaseEvent, ("event", "at", "ended_at", "end")),
    ]
    parts += [OBJECTS.format(kinds=wrapped(kinds)), *fields_of(AuditEntry, ("at",)), SERVICE, *service()]
    return "".join(parts).rstrip() + "\n"


def lease_types() -> Iterator[str]:
    yield "| Type | When |\n|---|---|\n"
    for word in LEASE_WORDS.values():
        yield f"| `lease.{word}` | {WHEN[word]} |\n"
    yield "\n"


def fields_of(model: type[msgspec.Struct], apart: tuple[str, ...]) -> Iterator[str]:
    """Yield the table of a model's own fields, less these."""
    yield "| Field | Meaning |\n|---|---|\n"
    for name in model.__annotations__:
        if name not in apart:
            yield f"| `{name}` | {meaning(model, name)} |\n"
    if model is LeaseEvent:
        yield "| `version` | Number of this write; larger is later. |\n"
    yield "\n"


def service() -> Iterator[str]:
    for type_ in sorted(SYSTEM):
        when, fields, example = TEXTS[type_]
        yield f"### {type_}\n\n{when}\n\n| Field | Meaning |\n|---|---|\n"
        yield from (f"| `{name}` | {means} |\n" for name, means in fields.items())
        shown = msgspec.json.format(msgspec.json.encode(example), indent=2).decode()
        yield f"\n```json\n{shown}\n```\n\n"


def wrapped(words: str, width: int = 100) -> str:
    """Return words with commas between them in lines of this width."""
    lines = [""]
    for word in words.split(" "):
        if len(lines[-1]) + len(word) >= width:
            lines.append("")
        lines[-1] = f"{lines[-1]} {word}".strip()
    return "\n".join(lines)
