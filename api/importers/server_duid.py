"""The DUID under which another server answers, with which its clients can go on.

It is one for all servers on a database, so an import does not set it: it says how.
"""

from ipam_core.dhcp import server_duid
from ipam_core.dhcp.server_duid import EN, LL, LLT

COMMAND = "ipam server-duid set"


def put_together(kind: int, identifier: bytes, **numbers: int) -> bytes:
    """Return a DUID (RFC 8415 section 11) of `hardware` and `time`, of `enterprise`, or of `hardware`. Raises KeyError
    where one of them is missing or the type is none of these, OverflowError for a number that does not fit."""
    sizes = {LLT: {"hardware": 2, "time": 4}, EN: {"enterprise": 4}, LL: {"hardware": 2}}[kind]
    head = b"".join(numbers[name].to_bytes(size, "big") for name, size in sizes.items())
    return kind.to_bytes(2, "big") + head + identifier


def advice(duid: bytes | None, place: str) -> str:
    """Return what to do for clients to go on with the server that they know. `duid`: None where the configuration does
    not tell it; `place`: where it stands then, or if it is no server's."""
    if duid is None or server_duid.fault(duid):
        return (
            f"for its clients to go on with the server that they know, look its DUID up in {place}, and before they "
            f"are served run: {COMMAND} DUID"
        )
    return (
        f"its clients know it as {duid.hex(':')}: for them to go on with it, run before they are served: "
        f"{COMMAND} {duid.hex(':')}"
    )


def noted(duid: bytes) -> str:
    """Return the same of a file of leases. Raises ValueError where the octets are no server's DUID."""
    if why := server_duid.fault(duid):
        raise ValueError(why)
    return f"is the server's DUID: for clients to go on with it, run before they are served: {COMMAND} {duid.hex(':')}"
