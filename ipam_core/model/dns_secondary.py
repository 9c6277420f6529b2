"""What is known of a zone's secondaries."""

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
    name: str
    address: str
    port: int
    state: State
    serial: int | None
    zone_serial: int | None
    serials_behind: int | None
    behind_since: str | None
    seen_at: str | None
    last_refusal: str | None
    last_refusal_at: str | None


class LaggingSecondary(DnsSecondary, frozen=True):
    """Secondary that does not follow its zone."""

    zone_id: str
    zone: str
