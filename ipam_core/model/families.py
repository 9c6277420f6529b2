"""The families of objects, each named once. API paths, OpenAPI, bulk, the command line, the Python client, webhook
events, audit rows and locks take the names from this table.

It is data, and loads no model before one is asked for: the command line needs the names before anything else.
"""

from dataclasses import dataclass
from enum import Enum
from importlib import import_module
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from ipam_core.model.base import Command, Model


class Level(Enum):
    """What a write locks first, so that the writers of a family follow one another (services.entity.locks)."""

    TENANT = "the tenant, for all that hangs on it as such"
    ALL = "the same above all tenants"
    SUBNET = "the subnet that the object's row names, by raising its fence"
    FENCE = "a subnet too, but one that the family's service finds"
    ROW = "the row alone, or what its service says"


@dataclass(frozen=True)
class Family:
    """`name` is the collection in paths and commands, `singular` one of it in operation ids, audit rows and events.
    `shape` is the model as module.Class of this package, `row_shape` that of its lists, if another, `new_shape` what
    makes one, if that is not called New and the model's name. A table shows `columns`; `filters` are options of
    `ipam NAME list`. `above`: below which families it is listed and made, under the name `below`, if another.
    `parameter`: how paths and fields call the id of one, if not singular_id."""

    name: str
    singular: str
    shape: str
    columns: tuple[str, ...] = ()
    filters: tuple[str, ...] = ()
    above: tuple[str, ...] = ()
    below: str = ""
    parameter: str = ""
    row_shape: str = ""
    new_shape: str = ""
    table_name: str = ""
    level: Level = Level.TENANT
    in_plan: bool = True
    """Whether it stands in the part of the OpenAPI document about the address plan."""
    alone: bool = False
    """Whether it is made below none of its parents too, in the tenant as such."""
    listed: bool = True
    """Whether it has a list of its own, not only those below its parents."""

    @property
    def plural(self) -> str:
        return self.name.replace("-", "_")

    @property
    def label(self) -> str:
        return self.singular.replace("_", " ")

    @property
    def table(self) -> str:
        return self.table_name or self.singular

    @property
    def key(self) -> str:
        return self.parameter or f"{self.singular}_id"

    @property
    def parents(self) -> "tuple[Family, ...]":
        return tuple(FAMILIES[name] for name in self.above)

    @property
    def model(self) -> "type[Model]":
        found: type[Model] = load(self.shape)
        return found

    @property
    def new(self) -> "type[Command]":
        """What a client writes to make one; raises AttributeError where clients make none."""
        module, _, name = self.shape.rpartition(".")
        found: type[Command] = load(self.new_shape or f"{module}.New{name}")
        return found

    @property
    def row_model(self) -> "type[Model]":
        """What its lists consist of."""
        found: type[Model] = load(self.row_shape or self.shape)
        return found

    def path_below(self, parent: "Family", id_: str) -> str:
        return f"/{parent.name}/{id_}/{self.below or self.name}"

    def create_path(self, fields: dict[str, object]) -> str:
        """Where an object is made; takes the parent's id out of the fields. Raises KeyError if they name none."""
        if not self.above or (self.alone and not any(fields.get(each.key) for each in self.parents)):
            return f"/{self.name}"
        parent = next((each for each in self.parents if fields.get(each.key)), self.parents[0])
        return self.path_below(parent, str(fields.pop(parent.key)))


def load(shape: str) -> Any:
    """The class that module.Class names."""
    module, _, name = shape.rpartition(".")
    return getattr(import_module(f"ipam_core.model.{module}"), name)


IN_SUBNET = ("subnets",)

PLAIN: tuple[Family, ...] = (
    Family(
        "tenants", "tenant", "tenant.Tenant", ("id", "name", "is_default", "description"), level=Level.ROW
    ),
    Family(
        "prefixes",
        "prefix",
        "prefix.Prefix",
        ("id", "cidr", "description"),
        filters=("cidr", "within", "contains", "tag", "q"),
    ),
    Family(
        "subnets",
        "subnet",
        "subnet.Subnet",
        ("id", "cidr", "name", "vlan_id", "site", "gateway", "dhcp_enabled", "utilisation"),
        filters=("cidr", "within", "contains", "prefix_id", "vlan_id", "site", "tag", "q"),
        row_shape="subnet.ListedSubnet",
        level=Level.FENCE,
    ),
    Family(
        "pools",
        "pool",
        "ranges.Pool",
        ("id", "name", "start_ip", "end_ip", "class_id"),
        filters=("subnet_id", "contains", "tag"),
        above=IN_SUBNET,
        level=Level.SUBNET,
    ),
    Family(
        "excludes",
        "exclude",
        "ranges.Exclude",
        ("id", "start_ip", "end_ip", "description"),
        filters=("subnet_id", "contains"),
        above=IN_SUBNET,
        level=Level.SUBNET,
    ),
    Family(
        "reservations",
        "reservation",
        "reservation.Reservation",
        ("id", "ip", "mac", "duid", "hostname"),
        filters=("ip", "mac", "subnet_id", "hostname", "tag"),
        above=IN_SUBNET,
        level=Level.SUBNET,
        alone=True,
    ),
    Family(
        "options",
        "option",
        "option.Option",
        ("id", "code", "family", "payload"),
        above=("subnets", "pools", "reservations", "client-classes"),
        table_name="dhcp_option",
        level=Level.FENCE,
    ),
    Family(
        "option-definitions",
        "option_definition",
        "option_definition.OptionDefinition",
        ("id", "code", "name", "kind"),
    ),
    Family(
        "assignments",
        "assignment",
        "reservation.Assignment",
        ("id", "ip", "hostname"),
        filters=("ip", "subnet_id", "tag"),
        level=Level.SUBNET,
    ),
    Family(
        "client-classes",
        "client_class",
        "client_class.ClientClass",
        ("id", "name", "priority", "deny"),
        parameter="class_id",
    ),
    Family(
        "trusted-relays",
        "trusted_relay",
        "relay.TrustedRelay",
        ("id", "cidr", "description"),
        level=Level.ALL,
    ),
    Family("dns-servers", "dns_server", "dns_server.DnsServer", ("id", "name", "adapter"), in_plan=False),
    Family("dns-zones", "dns_zone", "dns_zone.DnsZone", ("id", "name"), parameter="zone_id", in_plan=False),
    Family(
        "dns-records",
        "dns_record",
        "dns_zone.DnsRecord",
        ("id", "name", "type"),
        above=("dns-zones",),
        below="records",
        level=Level.ROW,
        in_plan=False,
    ),
)
"""Made, read, changed and deleted over routes that all of them share (api.routes.families), also in a bulk."""

WITH_SECRETS = (
    Family(
        "webhooks", "webhook", "webhook.Webhook", ("id", "url", "enabled"), level=Level.ROW, in_plan=False
    ),
    Family(
        "tokens",
        "token",
        "token.Token",
        ("id", "name", "role", "prefix", "expires_at"),
        level=Level.ROW,
        in_plan=False,
    ),
)
"""Clients write them too, over routes of their own, because an answer shows a secret once."""

OTHERS = (
    Family(
        "global-options",
        "option",
        "option.Option",
        ("id", "code", "family", "payload"),
        new_shape="option.NewGlobalOption",
        table_name="dhcp_option",
    ),
    Family(
        "leases",
        "lease",
        "lease.Lease",
        ("id", "ip", "state", "mac", "hostname", "expires_at"),
        filters=("ip", "mac", "state", "subnet_id", "hostname"),
        level=Level.ROW,
    ),
    Family(
        "lease-events",
        "lease_event",
        "history.LeaseEvent",
        ("at", "event", "ip", "mac", "hostname"),
        filters=("ip", "mac", "at", "since", "until"),
        level=Level.ROW,
    ),
    Family(
        "events",
        "event",
        "event.Event",
        ("timestamp", "type", "data"),
        filters=("type", "since", "until"),
        level=Level.ROW,
    ),
    Family(
        "ddns-updates",
        "ddns_update",
        "ddns_update.DdnsUpdate",
        ("id", "state", "attempts"),
        level=Level.ROW,
        in_plan=False,
    ),
    Family("nodes", "node", "node.Node", ("id", "name", "state"), level=Level.ROW, in_plan=False),
    Family(
        "deliveries",
        "delivery",
        "webhook.Delivery",
        above=("webhooks",),
        table_name="webhook_delivery",
        level=Level.ROW,
        in_plan=False,
        listed=False,
    ),
    Family(
        "audit",
        "audit_entry",
        "history.AuditEntry",
        ("at", "token_name", "remote_address", "action", "object_type", "object_id"),
        level=Level.ROW,
        in_plan=False,
    ),
)
"""What the servers write and clients read; and the options of no scope, which are the same objects as options."""

FAMILIES = {family.name: family for family in (*PLAIN, *WITH_SECRETS, *OTHERS)}
LISTED = {name: family for name, family in FAMILIES.items() if family.listed}


def objects(level: Level) -> tuple[Family, ...]:
    """The plain families whose writers follow one another at a level."""
    return tuple(family for family in PLAIN if family.level is level)
