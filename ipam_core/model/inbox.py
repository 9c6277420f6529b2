"""Inbox of things that need attention, of each kind the first of its list."""

import msgspec

from ipam_core.model.ddns_update import DdnsUpdate
from ipam_core.model.dns_secondary import LaggingSecondary
from ipam_core.model.lease import Lease
from ipam_core.model.page import Page
from ipam_core.model.relay import UnknownRelay
from ipam_core.model.webhook import DeadDelivery


class Inbox(msgspec.Struct, frozen=True):
    unknown_relays: Page[UnknownRelay]
    """Relay agents that are not trusted, as in /trusted-relays/unknown. Empty for a token of one tenant."""

    ddns_conflicts: Page[DdnsUpdate]
    """DNS updates whose name belongs to another host, as in /ddns-updates."""

    dead_deliveries: Page[DeadDelivery]
    """Webhook deliveries that failed for good, as in /deliveries."""

    declined_leases: Page[Lease]
    """Addresses that a client found in use, as in /leases."""

    lagging_secondaries: list[LaggingSecondary]
    """The first 100 secondaries that do not follow their zone: behind for five minutes, ahead, or refused."""
