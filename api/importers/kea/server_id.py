"""The DUID under which a Kea server answers (`server-id` of Dhcp6), which its clients can go on with.

It is one for all servers on a database, so an import does not set it: it says how.
"""

from api.importers.plan import Planner
from api.importers.source import Entry

WHAT = "server-id"
ETHERNET, ISC = 1, 2495  # what Kea takes where nothing is given
TYPES = {"LLT": 1, "EN": 2, "LL": 3}
LOOK = "look it up in kea-dhcp6-serverid beside its leases, and before they are served run: ipam server-duid set DUID"


def tell(planner: Planner, server: Entry) -> None:
    """Warn of the DUID, and say what keeps it."""
    entry = server.entry(WHAT)
    if entry is None:
        return
    entry.tell()
    duid = duid_of(entry)
    why = f"for its clients to go on with the server that they know, {LOOK}"
    if duid is not None:
        why = (
            f"its clients know it as {duid.hex(':')}: for them to go on with it, run before they are served: "
            f"ipam server-duid set {duid.hex(':')}"
        )
    planner.warn(entry.line, "manual", WHAT, why)


def duid_of(entry: Entry) -> bytes | None:
    """Return the DUID; None where Kea has made a part of it by itself, or it is of no type that Kea knows."""
    kind = TYPES.get(entry.text("type") or "")
    try:
        identifier = bytes.fromhex(entry.text("identifier") or "")
        head = [(kind or 0, 2), *between(kind, entry)]
        octets = b"".join(number.to_bytes(size, "big") for number, size in head)
    except (ValueError, OverflowError):
        return None
    is_whole = kind is not None and identifier and (kind != TYPES["LLT"] or entry.get("time"))
    return octets + identifier if is_whole else None


def between(kind: int | None, entry: Entry) -> list[tuple[int, int]]:
    """Return the numbers before the identifier, and their octets (RFC 8415 section 11)."""
    if kind == TYPES["EN"]:
        return [(entry.number("enterprise-id") or ISC, 4)]
    hardware = [(entry.number("htype") or ETHERNET, 2)]
    return [*hardware, (entry.number("time") or 0, 4)] if kind == TYPES["LLT"] else hardware
