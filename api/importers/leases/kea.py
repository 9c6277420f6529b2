"""A lease of Kea from its columns, which its files and its databases have alike."""

from collections.abc import Callable, Mapping
from ipaddress import IPv4Address, IPv6Address, IPv6Network

from api.importers.leases.lease import Given, Lease, State, client4, client6
from api.importers.leases.lines import as_text

INFINITE = 0xFFFFFFFF
STATES: dict[str, State] = {
    "0": "active",
    "1": "declined",
    "2": "expired",
    "3": "released",
    "4": "registered",
}
TYPES6 = {"IA_NA": "0", "IA_TA": "1", "IA_PD": "2"}
Row = Mapping[str, str]


def lease(line: int, row: Row, octets: Callable[[str], bytes], ends: Callable[[str], float]) -> Lease:
    """Return a lease. `octets` and `ends`: the readers of binary columns and `expire`. Raises ValueError."""
    valid = int(row["valid_lifetime"])
    return Lease(
        line,
        given(row),
        client6(octets(row["duid"]))
        if "duid" in row
        else client4(octets(row["hwaddr"]), octets(row["client_id"])),
        None if valid == INFINITE else ends(row["expire"]),
        state(row, valid),
        as_text(row.get("hostname", "")).rstrip("."),
    )


def given(row: Row) -> Given:
    address = row["address"]
    if "duid" not in row:
        return IPv4Address(int(address) if address.isdecimal() else address)
    # Of MySQL's newer schema the column has the 16 octets themselves.
    found = IPv6Address(address.encode("latin-1") if len(address) == 16 and ":" not in address else address)
    if lease_type(row) == "2":
        return IPv6Network((found, int(row["prefix_len"])))
    return found


def lease_type(row: Row) -> str:
    return TYPES6.get(row["lease_type"], row["lease_type"])


def state(row: Row, valid: int) -> State:
    """Return the state; a lease that was taken back is written with a lifetime of 0."""
    if valid == 0:
        return "released"
    if "duid" in row and lease_type(row) == "1":
        return "temporary"
    return STATES[row.get("state") or "0"]
