"""The DUID under which a Kea server answers: `server-id` of Dhcp6."""

from api.importers import server_duid
from api.importers.plan import Planner
from api.importers.source import Entry
from ipam_core.dhcp.server_duid import EN, LL, LLT

WHAT = "server-id"
ETHERNET, ISC = 1, 2495  # Kea's defaults
TYPES = {"LLT": LLT, "EN": EN, "LL": LL}
PLACE = "kea-dhcp6-serverid beside its leases"


def tell(planner: Planner, server: Entry) -> None:
    """Warn of the DUID, and say what keeps it."""
    entry = server.entry(WHAT)
    if entry is not None:
        entry.tell()
        planner.warn(entry.line, "manual", WHAT, server_duid.advice(duid_of(entry), PLACE))


def duid_of(entry: Entry) -> bytes | None:
    """Return the DUID; None where Kea has made a part of it by itself, or it is of no type that Kea knows."""
    kind, time = TYPES.get(entry.text("type") or ""), entry.number("time") or 0
    hardware, enterprise = entry.number("htype") or ETHERNET, entry.number("enterprise-id") or ISC
    try:
        identifier = bytes.fromhex(entry.text("identifier") or "")
        duid = server_duid.put_together(
            kind or 0, identifier, hardware=hardware, time=time, enterprise=enterprise
        )
    except (KeyError, ValueError, OverflowError):
        return None
    return duid if identifier and (time or kind != LLT) else None
