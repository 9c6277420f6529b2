"""The families of objects, each named once. API paths, OpenAPI, bulk, the command line, the Python client, webhook
events, audit rows and locks take the names from this table.

It is data, and loads no model before one is asked for: the command line needs the names before anything else.
"""

import re
from dataclasses import dataclass
from enum import Enum
from importlib import import_module
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from ipam_core.model.base import Command, Model


class Level(Enum):
    """Level that a write locks first, so that the writers of a family follow one another (services.entity.locks)."""

    TENANT = "the tenant, for all that hangs on it as such"
    ALL = "the same above all tenants"
    SUBNET = "the subnet that the object's row names, by raising its fence"
    FENCE = "a subnet too, but one that the family's service finds"
    ROW = "the row alone, or as its service decides"


ACRONYMS = {
    "dns": "DNS",
    "ddns": "DNS",
    "dhcp": "DHCP",
    "ip": "IP",
    "vlan": "VLAN",
    "vss": "VSS",
    "mac": "MAC",
}


def in_words(name: str) -> str:
    """Return a name as sentences have it, with acronyms in capitals: `dns_zone` is DNS zone."""
    return " ".join(ACRONYMS.get(word, word) for word in re.split("[ _-]", name))


@dataclass(frozen=True)
class Family:
    """`name` is the collection in paths and commands, `singular` one of it in operation ids, audit rows and events.
    `shape` is the model as module.Class of this package, `row_shape` that of its lists, if another, `new_shape` what
    makes one, if that is not called New and the model's name. A table shows `columns` (`subnet` is the name of what
    `subnet_id` says); `filters` are those of its list, options of `ipam NAME list`, `sorts` what that can be ordered
    by. `names` are the filters by which people call one, in the order in which a name is looked for. `above`: below
    which families it is listed and made, under the name `below`, if another. `parameter`: how paths and fields call
    the id of one, if not singular_id."""

    name: str
    singular: str
    shape: str
    columns: tuple[str, ...] = ()
    filters: tuple[str, ...] = ()
    names: tuple[str, ...] = ("name",)
    sorts: tuple[str, ...] = ()
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
    write_flags: tuple[str, ...] = ()
    """Query parameters, true or false, of its creates and changes (Actor.flags)."""
    made_shape: str = ""
    """What making one answers, if not its model."""

    @property
    def plural(self) -> str:
        return self.name.replace("-", "_")

    @property
    def label(self) -> str:
        """What sentences call one of them: DNS zone."""
        return in_words(self.singular)

    @property
    def many(self) -> str:
        """What sentences call several of them: DNS zones."""
        return "audit entries" if self.name == "audit" else in_words(self.name)

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
    def nested_paths(self) -> list[str]:
        """Paths below the base at which one is created, if it is created below its parents only."""
        if self.alone or not hasattr(self, "new"):
            return []
        return [f"/{above.name}/{{{above.key}}}/{self.below or self.name}" for above in self.parents]

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
    def patch(self) -> "type[Command]":
        """Those of its fields that may be changed: the part of the new one that is called so, else all of it."""
        return next((base for base in self.new.__mro__ if base.__name__.endswith("Fields")), self.new)

    @property
    def row_model(self) -> "type[Model]":
        """What its lists consist of."""
        found: type[Model] = load(self.row_shape or self.shape)
        return found

    @property
    def items(self) -> "Family":
        """Where one of it is read, changed and deleted: options of no scope are among all options."""
        return FAMILIES["options"] if self.name == "global-options" else self

    def path_below(self, parent: "Family", id_: str) -> str:
        return f"/{parent.name}/{id_}/{self.below or self.name}"

    def create_path(self, fields: dict[str, object]) -> str:
        """Return where an object is made; takes the parent's id out of the fields. Raises KeyError if they name
        none."""
        if not self.above or (self.alone and not any(fields.get(each.key) for each in self.parents)):
            return f"/{self.name}"
        parent = next((each for each in self.parents if fields.get(each.key)), self.parents[0])
        return self.path_below(parent, str(fields.pop(parent.key)))

    @property
    def made_model(self) -> "type[Model]":
        found: type[Model] = load(self.made_shape or self.shape)
        return found


def words(text: str) -> tuple[str, ...]:
    return tuple(text.split())


def with_article(label: str) -> str:
    """Return the words with the indefinite article before them."""
    return f"{'an' if label[0] in 'aeio' else 'a'} {label}"


def load(shape: str) -> Any:
    """Return the class that module.Class names."""
    module, _, name = shape.rpartition(".")
    return getattr(import_module(f"ipam_core.model.{module}"), name)


IN_SUBNET = ("subnets",)
NETWORK = "cidr within contains family"
RANGE = "start_ip end_ip within contains family"
HOST = "ip within family"
OPTION = (
    "code family vendor_class always_send never_send subnet_id pool_id class_id reservation_id tenant_id q"
)

PLAIN: tuple[Family, ...] = (
    Family(
        "tenants",
        "tenant",
        "tenant.Tenant",
        ("id", "name", "is_default", "description"),
        filters=words("name is_default q"),
        level=Level.ROW,
    ),
    Family(
        "prefixes",
        "prefix",
        "prefix.Prefix",
        ("id", "cidr", "description", "utilisation"),
        filters=words(f"{NETWORK} description tag tenant_id q"),
        names=("cidr",),
        row_shape="prefix.ListedPrefix",
    ),
    Family(
        "subnets",
        "subnet",
        "subnet.Subnet",
        ("id", "cidr", "name", "vlan_id", "site", "gateway", "dhcp_enabled", "utilisation"),
        filters=words(
            f"{NETWORK} prefix_id name description vlan_id site tag gateway shared_network interface "
            "relay_address dhcp_enabled ddns_enabled tenant_id q"
        ),
        names=("cidr", "name"),
        sorts=("cidr", "name", "utilisation"),
        row_shape="subnet.ListedSubnet",
        level=Level.FENCE,
    ),
    Family(
        "pools",
        "pool",
        "ranges.Pool",
        ("id", "name", "subnet", "start_ip", "end_ip", "prefix", "class", "used", "utilisation"),
        filters=words(f"{RANGE} prefix subnet_id name class_id allocation tag tenant_id q"),
        names=("start_ip", "prefix", "name"),
        sorts=("start_ip", "name", "utilisation"),
        row_shape="ranges.ListedPool",
        above=IN_SUBNET,
        level=Level.SUBNET,
    ),
    Family(
        "excludes",
        "exclude",
        "ranges.Exclude",
        ("id", "start_ip", "end_ip", "description"),
        filters=words(f"{RANGE} subnet_id description tenant_id q"),
        names=("start_ip",),
        above=IN_SUBNET,
        level=Level.SUBNET,
    ),
    Family(
        "reservations",
        "reservation",
        "reservation.Reservation",
        ("id", "ip", "prefix", "mac", "duid", "client_id", "hostname"),
        filters=words(
            f"{HOST} subnet_id prefix mac duid client_id circuit_id remote_id subscriber_id "
            "hostname alias class_id tag tenant_id q"
        ),
        names=("ip", "prefix", "mac", "duid", "hostname"),
        above=IN_SUBNET,
        level=Level.SUBNET,
        alone=True,
    ),
    Family(
        "options",
        "option",
        "option.Option",
        ("id", "code", "option", "payload", "subnet", "pool", "class", "reservation"),
        filters=words(OPTION),
        names=("code",),
        above=("subnets", "pools", "reservations", "client-classes"),
        table_name="dhcp_option",
        level=Level.FENCE,
    ),
    Family(
        "option-definitions",
        "option_definition",
        "option_definition.OptionDefinition",
        ("id", "code", "name", "kind"),
        filters=words("family code name kind array vendor_space tenant_id q"),
        names=("code", "name"),
    ),
    Family(
        "assignments",
        "assignment",
        "reservation.Assignment",
        ("id", "ip", "hostname"),
        filters=words(f"{HOST} subnet_id hostname alias tag tenant_id q"),
        names=("ip", "hostname"),
        level=Level.SUBNET,
    ),
    Family(
        "client-classes",
        "client_class",
        "client_class.ClientClass",
        ("id", "name", "priority", "deny", "description"),
        filters=words("name priority vendor_class user_class mac_prefix known template deny tenant_id q"),
        parameter="class_id",
    ),
    Family(
        "trusted-relays",
        "trusted_relay",
        "relay.TrustedRelay",
        ("id", "cidr", "description"),
        filters=words(f"{NETWORK} description vss tenant_id q"),
        names=("cidr",),
        level=Level.ALL,
    ),
    Family(
        "dns-servers",
        "dns_server",
        "dns_server.DnsServer",
        ("id", "name", "adapter", "address"),
        filters=words("name adapter address tenant_id q"),
        in_plan=False,
    ),
    Family(
        "dns-zones",
        "dns_zone",
        "dns_zone.DnsZone",
        ("id", "name", "dns_enabled", "serial", "dns_server"),
        filters=words("name dns_server_id dns_enabled updated_elsewhere tenant_id q"),
        parameter="zone_id",
        write_flags=("move_records",),
        in_plan=False,
    ),
    Family(
        "dns-records",
        "dns_record",
        "dns_zone.DnsRecord",
        ("id", "fqdn", "type", "ttl", "data", "source"),
        filters=words("zone_id name fqdn type data ip source tenant_id q"),
        names=("fqdn", "name"),
        above=("dns-zones",),
        below="records",
        level=Level.ROW,
        in_plan=False,
    ),
    Family(
        "notifications",
        "notification",
        "notification.Notification",
        ("id", "name", "kind", "enabled", "events"),
        filters=words("name kind enabled event tenant_id q"),
        level=Level.ROW,
        in_plan=False,
    ),
)
"""Made, read, changed and deleted over routes that all of them share (api.routes.families), also in a bulk."""

WITH_SECRETS = (
    Family(
        "webhooks",
        "webhook",
        "webhook.Webhook",
        ("id", "url", "enabled", "events"),
        filters=words("url enabled event tenant_id q"),
        names=("url",),
        level=Level.ROW,
        in_plan=False,
        made_shape="webhook.WebhookWithSecret",
    ),
    Family(
        "tokens",
        "token",
        "token.Token",
        ("id", "name", "role", "prefix", "expires_at", "last_used_at"),
        filters=words("name role tenant_id q"),
        level=Level.ROW,
        in_plan=False,
        made_shape="token.TokenWithSecret",
    ),
)
"""Clients write them too, over routes of their own, because an answer shows a secret once."""

OTHERS = (
    Family(
        "global-options",
        "option",
        "option.Option",
        ("id", "code", "option", "payload"),
        filters=words(OPTION),
        names=("code",),
        new_shape="option.NewGlobalOption",
        table_name="dhcp_option",
    ),
    Family(
        "leases",
        "lease",
        "lease.Lease",
        ("id", "ip", "state", "mac", "hostname", "expires_at", "ended_at"),
        filters=words(
            f"{HOST} mac duid client_id relay state subnet_id hostname expires_before expires_after tenant_id q"
        ),
        names=("ip", "mac", "duid", "hostname"),
        level=Level.ROW,
    ),
    Family(
        "lease-events",
        "lease_event",
        "history.LeaseEvent",
        ("at", "event", "ip", "mac", "hostname", "ended_at", "end"),
        filters=words(f"{HOST} mac duid client_id hostname event subnet_id at since until tenant_id"),
        names=(),
        level=Level.ROW,
    ),
    Family(
        "events",
        "event",
        "event.Event",
        ("timestamp", "type", "object"),
        filters=words("type since until tenant_id"),
        names=(),
        level=Level.ROW,
    ),
    Family(
        "ddns-updates",
        "ddns_update",
        "ddns_update.DdnsUpdate",
        ("id", "state", "action", "fqdn", "ip", "attempts", "last_error"),
        filters=words(f"{HOST} state action fqdn subnet_id dns_server_id tenant_id q"),
        names=("ip", "fqdn"),
        level=Level.ROW,
        in_plan=False,
    ),
    Family(
        "nodes",
        "node",
        "node.Node",
        ("id", "name", "role", "state", "version", "heartbeat_at"),
        filters=words("name role state q"),
        level=Level.ROW,
        in_plan=False,
    ),
    Family(
        "deliveries",
        "delivery",
        "webhook.Delivery",
        ("id", "created_at", "webhook", "notification", "event", "state", "attempts", "last_error"),
        filters=words("webhook_id notification_id event state tenant_id"),
        above=("webhooks", "notifications"),
        names=(),
        table_name="webhook_delivery",
        level=Level.ROW,
        in_plan=False,
    ),
    Family(
        "audit",
        "audit_entry",
        "history.AuditEntry",
        ("at", "token_name", "action", "object_type", "object", "remote_address"),
        filters=words(
            "object_type object_id action subnet_id token_id token_name remote_address "
            "request_id since until tenant_id q"
        ),
        names=(),
        level=Level.ROW,
        in_plan=False,
    ),
)
"""What the servers write and clients read; and the options of no scope, which are the same objects as options."""

CUTOVER = (
    *("option-definitions", "client-classes", "prefixes", "subnets", "excludes", "pools", "reservations"),
    *("options", "assignments"),
)
"""Of an import, in the order of a cutover , with what others refer to before them."""

FAMILIES = {family.name: family for family in (*PLAIN, *WITH_SECRETS, *OTHERS)}


CREDENTIALS = ("tokens",)
IN_FILES = (
    *(family for family in (*PLAIN, *WITH_SECRETS) if family.name not in CREDENTIALS),
    FAMILIES["global-options"],
)
"""Families in site files and exported tables: all that clients write. Tokens are credentials, and no plan."""


def objects(level: Level) -> tuple[Family, ...]:
    """Return the plain families whose writers follow one another at a level."""
    return tuple(family for family in PLAIN if family.level is level)
