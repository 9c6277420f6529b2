"""An address that a transaction gives to a machine although it is another object's: the refusal names the holder."""

from collections.abc import Sequence
from typing import NamedTuple

from ipam_core.errors import Conflict
from ipam_core.model.lease import lease_id
from ipam_core.model.values import Address, encode_value
from ipam_core.services.entity.entity import Row


class Given(NamedTuple):
    """A reserved address, and by which operation."""

    tenant_no: int
    subnet_no: int
    ip: Address
    operation: int | None


HOLDER = ("type", "id", "ip", "start_ip", "end_ip", "hostname")
REASONS = {
    "exclude": "the address lies inside an exclusion",
    "assignment": "the address is already assigned in the subnet",
    "reservation": "the address is already reserved in the subnet",
    "gateway": "the address is the gateway of the subnet",
    "lease": "a client has a lease of the address; release the lease, or wait until it expires",
}


def refuse_in_the_way(given: Sequence[Given], holder: Row) -> None:
    """Refuse addresses of a transaction's reservations that another object has; `place`: which one is."""
    if holder["place"] is not None:
        found = given[holder["place"] - 1]
        error = taken(found.tenant_no, {name: holder[name] for name in HOLDER})
        if found.operation is not None:
            vars(error)["index"] = found.operation
        raise error


def taken(tenant_no: int, holder: Row) -> Conflict:
    """Return the refusal that names the holder."""
    shown = {name: encode_value(value) for name, value in holder.items() if value is not None}
    if holder["type"] == "lease":
        shown["id"] = lease_id(tenant_no, holder["ip"])
    return Conflict(REASONS[holder["type"]], {"field": "ip", "conflicts_with": shown})
