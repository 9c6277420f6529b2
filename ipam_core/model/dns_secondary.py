"""What is known of a zone's secondaries."""

from typing import Literal

import msgspec

State = Literal["current", "behind", "ahead", "unknown", "not_served"]


class DnsSecondary(msgspec.Struct, frozen=True):
    """One secondary of a zone, by the serial that it told last.

    `state`: `current` has the zone's serial; `behind` lacks `serials_behind` of them since `behind_since`; `ahead` has
    a serial from elsewhere that it takes for a later one (RFC 1982), so it does not follow; `unknown` never told its
    serial; `not_served`: the zone is not served here. `last_refusal`: what it, or this server, last refused."""

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
