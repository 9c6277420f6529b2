"""State of a zone's secondaries."""

from typing import Literal

import msgspec

State = Literal["current", "behind", "ahead", "unknown", "not_served"]


class DnsSecondary(msgspec.Struct, frozen=True):
    """Secondary of a zone and the serial that it reported last.

    `state`: `current`: it has the zone's serial. `behind`: it lacks `serials_behind` serials since `behind_since`.
    `ahead`: its serial is later and comes from elsewhere (RFC 1982), so it does not follow. `unknown`: it never
    reported a serial. `not_served`: this service does not serve the zone. `last_refusal`: the last refusal by the
    secondary or by this server.
    """

    dns_server_id: str
    """The DNS server that is the secondary."""

    name: str
    """Name of the DNS server."""

    address: str
    """Address or host name of the DNS server."""

    port: int
    """Port to which NOTIFY messages are sent."""

    state: State
    """`current`, `behind`, `ahead` (its serial is later and from another primary, so it does not follow), `unknown`
    (it has not asked yet) or `not_served` (this service does not serve the zone)."""

    serial: int | None
    """Serial that the secondary reported last. Null: it has reported none."""

    zone_serial: int | None
    """Serial of the zone as it is served. Null: the zone is not served."""

    serials_behind: int | None
    """Number of serials that the secondary is behind. Null: unknown."""

    behind_since: str | None
    """Time since which the secondary is behind. Null: it is not behind, or that is unknown."""

    seen_at: str | None
    """When the secondary last reported its serial. Null: never."""

    last_refusal: str | None
    """Last refusal, by the secondary or by this server. Null: none."""

    last_refusal_at: str | None
    """When the last refusal happened. Null: none."""


class LaggingSecondary(DnsSecondary, frozen=True):
    """Secondary that does not follow its zone."""

    zone_id: str
    """The zone."""

    zone: str
    """Name of the zone."""
