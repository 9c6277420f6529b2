"""The families as attributes of both clients, with what their calls answer, for type checkers and editors.

Written by `python -m api.generators` from the family table.
"""

from api.client.async_collections import AsyncCollection, AsyncReadable
from api.client.collections import Collection, Readable
from ipam_core.model.client_class import ClientClass
from ipam_core.model.ddns_update import DdnsUpdate
from ipam_core.model.dns_server import DnsServer
from ipam_core.model.dns_zone import DnsRecord, DnsZone
from ipam_core.model.event import Event
from ipam_core.model.history import AuditEntry, LeaseEvent
from ipam_core.model.lease import Lease
from ipam_core.model.node import Node
from ipam_core.model.notification import Notification
from ipam_core.model.option import Option
from ipam_core.model.option_definition import OptionDefinition
from ipam_core.model.prefix import ListedPrefix, Prefix
from ipam_core.model.ranges import Exclude, ListedPool, Pool
from ipam_core.model.relay import TrustedRelay
from ipam_core.model.reservation import Assignment, Reservation
from ipam_core.model.subnet import ListedSubnet, Subnet
from ipam_core.model.tenant import Tenant
from ipam_core.model.token import Token, TokenWithSecret
from ipam_core.model.webhook import Delivery, Webhook, WebhookWithSecret


class Attributes:
    """Of Client."""

    assignments: Collection[Assignment, Assignment, Assignment]
    audit: Readable[AuditEntry, AuditEntry]
    client_classes: Collection[ClientClass, ClientClass, ClientClass]
    ddns_updates: Readable[DdnsUpdate, DdnsUpdate]
    deliveries: Readable[Delivery, Delivery]
    dns_records: Collection[DnsRecord, DnsRecord, DnsRecord]
    dns_servers: Collection[DnsServer, DnsServer, DnsServer]
    dns_zones: Collection[DnsZone, DnsZone, DnsZone]
    events: Readable[Event, Event]
    excludes: Collection[Exclude, Exclude, Exclude]
    global_options: Collection[Option, Option, Option]
    lease_events: Readable[LeaseEvent, LeaseEvent]
    leases: Readable[Lease, Lease]
    nodes: Readable[Node, Node]
    notifications: Collection[Notification, Notification, Notification]
    option_definitions: Collection[OptionDefinition, OptionDefinition, OptionDefinition]
    options: Collection[Option, Option, Option]
    pools: Collection[Pool, ListedPool, Pool]
    prefixes: Collection[Prefix, ListedPrefix, Prefix]
    reservations: Collection[Reservation, Reservation, Reservation]
    subnets: Collection[Subnet, ListedSubnet, Subnet]
    tenants: Collection[Tenant, Tenant, Tenant]
    tokens: Collection[Token, Token, TokenWithSecret]
    trusted_relays: Collection[TrustedRelay, TrustedRelay, TrustedRelay]
    webhooks: Collection[Webhook, Webhook, WebhookWithSecret]


class AsyncAttributes:
    """Of AsyncClient."""

    assignments: AsyncCollection[Assignment, Assignment, Assignment]
    audit: AsyncReadable[AuditEntry, AuditEntry]
    client_classes: AsyncCollection[ClientClass, ClientClass, ClientClass]
    ddns_updates: AsyncReadable[DdnsUpdate, DdnsUpdate]
    deliveries: AsyncReadable[Delivery, Delivery]
    dns_records: AsyncCollection[DnsRecord, DnsRecord, DnsRecord]
    dns_servers: AsyncCollection[DnsServer, DnsServer, DnsServer]
    dns_zones: AsyncCollection[DnsZone, DnsZone, DnsZone]
    events: AsyncReadable[Event, Event]
    excludes: AsyncCollection[Exclude, Exclude, Exclude]
    global_options: AsyncCollection[Option, Option, Option]
    lease_events: AsyncReadable[LeaseEvent, LeaseEvent]
    leases: AsyncReadable[Lease, Lease]
    nodes: AsyncReadable[Node, Node]
    notifications: AsyncCollection[Notification, Notification, Notification]
    option_definitions: AsyncCollection[OptionDefinition, OptionDefinition, OptionDefinition]
    options: AsyncCollection[Option, Option, Option]
    pools: AsyncCollection[Pool, ListedPool, Pool]
    prefixes: AsyncCollection[Prefix, ListedPrefix, Prefix]
    reservations: AsyncCollection[Reservation, Reservation, Reservation]
    subnets: AsyncCollection[Subnet, ListedSubnet, Subnet]
    tenants: AsyncCollection[Tenant, Tenant, Tenant]
    tokens: AsyncCollection[Token, Token, TokenWithSecret]
    trusted_relays: AsyncCollection[TrustedRelay, TrustedRelay, TrustedRelay]
    webhooks: AsyncCollection[Webhook, Webhook, WebhookWithSecret]
