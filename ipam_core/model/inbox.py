"""What wants a person, of each kind the first of its list."""

import msgspec

from ipam_core.model.ddns_update import DdnsUpdate
from ipam_core.model.dns_secondary import LaggingSecondary
from ipam_core.model.lease import Lease
from ipam_core.model.page import Page
from ipam_core.model.relay import UnknownRelay
from ipam_core.model.webhook import DeadDelivery


class Inbox(msgspec.Struct, frozen=True):
    unknown_relays: Page[UnknownRelay]
    """Relays are no tenant's: to a token of one tenant there are none."""
    ddns_conflicts: Page[DdnsUpdate]
    dead_deliveries: Page[DeadDelivery]
    declined_leases: Page[Lease]
    lagging_secondaries: list[LaggingSecondary]
