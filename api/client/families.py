"""The families of objects: where each collection is, the model of its items, what a table shows of them."""

from typing import NamedTuple

from ipam_core.model import (
    client_class,
    ddns_update,
    dns_server,
    dns_zone,
    event,
    history,
    lease,
    node,
    option,
    option_definition,
    prefix,
    ranges,
    relay,
    reservation,
    subnet,
    tenant,
    token,
    webhook,
)
from ipam_core.model.base import Model


class Family(NamedTuple):
    """`parent`: the field of a new object that names the path above it, and the collection there."""

    name: str
    model: type[Model]
    columns: tuple[str, ...]
    parent: tuple[str, str] | None = None
    below: str = ""
    listed: type[Model] | None = None

    @property
    def row_model(self) -> type[Model]:
        """What its lists consist of."""
        return self.listed or self.model

    def create_path(self, fields: dict[str, object]) -> str:
        """Where an object is made; takes the parent's id out of the fields."""
        if self.parent is None:
            return f"/{self.name}"
        field, collection = self.parent
        return f"/{collection}/{fields.pop(field)}/{self.below or self.name}"


IN_SUBNET = ("subnet_id", "subnets")

FAMILIES = {
    family.name: family
    for family in (
        Family("tenants", tenant.Tenant, ("id", "name", "is_default", "description")),
        Family("prefixes", prefix.Prefix, ("id", "cidr", "description")),
        Family(
            "subnets",
            subnet.Subnet,
            ("id", "cidr", "name", "gateway", "dhcp_enabled", "utilisation"),
            listed=subnet.ListedSubnet,
        ),
        Family("pools", ranges.Pool, ("id", "name", "start_ip", "end_ip", "class_id"), IN_SUBNET),
        Family("excludes", ranges.Exclude, ("id", "start_ip", "end_ip", "description"), IN_SUBNET),
        Family("reservations", reservation.Reservation, ("id", "ip", "mac", "duid", "hostname"), IN_SUBNET),
        Family("options", option.Option, ("id", "code", "family", "payload"), IN_SUBNET),
        Family("global-options", option.Option, ("id", "code", "family", "payload")),
        Family("option-definitions", option_definition.OptionDefinition, ("id", "code", "name", "kind")),
        Family("assignments", reservation.Assignment, ("id", "ip", "hostname")),
        Family("client-classes", client_class.ClientClass, ("id", "name", "priority", "deny")),
        Family("trusted-relays", relay.TrustedRelay, ("id", "cidr", "description")),
        Family("leases", lease.Lease, ("id", "ip", "state", "mac", "hostname", "expires_at")),
        Family("lease-events", history.LeaseEvent, ("at", "event", "ip", "mac", "hostname")),
        Family("events", event.Event, ("at", "type", "data")),
        Family("dns-servers", dns_server.DnsServer, ("id", "name", "adapter")),
        Family("dns-zones", dns_zone.DnsZone, ("id", "name")),
        Family(
            "dns-records", dns_zone.DnsRecord, ("id", "name", "type"), ("zone_id", "dns-zones"), "records"
        ),
        Family("ddns-updates", ddns_update.DdnsUpdate, ("id", "state", "attempts")),
        Family("webhooks", webhook.Webhook, ("id", "url", "enabled")),
        Family("tokens", token.Token, ("id", "name", "role", "prefix", "expires_at")),
        Family("nodes", node.Node, ("id", "name", "state")),
        Family(
            "audit",
            history.AuditEntry,
            ("at", "token_name", "remote_address", "action", "object_type", "object_id"),
        ),
    )
}
