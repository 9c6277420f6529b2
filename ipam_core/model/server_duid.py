"""The DUID of the DHCPv6 servers."""

from ipam_core.model.base import Command, Model
from ipam_core.model.values import Octets


class ServerDuidChange(Command, kw_only=True, frozen=True):
    duid: Octets | None
    """New DUID of all DHCPv6 servers, 3 to 130 octets in hex: that of the server whose clients they take over. Null:
    the DUID that is derived from the database's key."""


class ServerDuid(Model, kw_only=True, frozen=True):
    duid: str
    """DUID of all DHCPv6 servers on this database, in hex (RFC 8415 section 11)."""

    is_set: bool
    """Whether an admin has set the DUID. False: it is derived from the database's key."""
