"""Leases for Kea to begin with: the same storm's clients as ours has, in its lease file or by COPY in its table.

A lease is what Kea itself would have written for that client: without the host name, for one, its lease cache
would take each first renewal for a change.
"""

import csv
import time
from collections.abc import Iterable
from dataclasses import dataclass
from datetime import UTC, datetime
from ipaddress import IPv4Address
from pathlib import Path

from dhcp_fast.bench.generator.filling import stride_over
from dhcp_fast.bench.generator.result import RECORD, Acknowledgement, acknowledgements, mac_of

COLUMNS = (
    "address", "hwaddr", "client_id", "valid_lifetime", "expire", "subnet_id", "fqdn_fwd", "fqdn_rev", "hostname",
    "state", "user_context",
)  # fmt: skip
SUBNET_ID = 1
SERVER_ID = IPv4Address("127.0.0.1").packed

# Its triggers count each row in lease4_stat, one update of the same row a lease.
BEFORE_COPY = "alter table lease4 disable trigger user"
AFTER_COPY = """
alter table lease4 enable trigger user;
insert into lease4_stat select subnet_id, state, count(*) from lease4 group by subnet_id, state;
analyze lease4"""
COPY = f"\\copy lease4 ({', '.join(COLUMNS)}) from '{{}}' csv"


@dataclass(frozen=True)
class Leases:
    """A storm's log, its seed, and how long and since when the leases run."""

    log: bytes = b""
    seed: int = 0
    lease_seconds: int = 86400
    age_seconds: float = 0.0

    @property
    def expire(self) -> int:
        return int(time.time() - self.age_seconds) + self.lease_seconds

    def write_file(self, path: Path) -> None:
        """Write the file that `lease-database.name` names."""
        expire = self.expire
        rows = (
            (lease.address, self.mac(lease).hex(":"), "", self.lease_seconds, expire, *rest(lease))
            for lease in acknowledgements(self.log)
        )
        write(path, COLUMNS, *rows)

    def write_table(self, path: Path) -> None:
        """Write a table for COPY into lease4."""
        expire = datetime.fromtimestamp(self.expire, UTC).isoformat()
        rows = (
            (int(lease.address), f"\\x{self.mac(lease).hex()}", "", self.lease_seconds, expire, *rest(lease))
            for lease in acknowledgements(self.log)
        )
        write(path, *rows)

    def mac(self, lease: Acknowledgement) -> bytes:
        return mac_of(self.seed, lease.client)


def rest(lease: Acknowledgement) -> tuple[object, ...]:
    """Return the columns from subnet_id on."""
    return SUBNET_ID, 0, 0, f"host-{lease.client:08x}", 0, ""


def write(path: Path, *rows: Iterable[object]) -> None:
    with path.open("w", newline="") as target:
        csv.writer(target, lineterminator="\n").writerows(rows)


def spread(
    pool: tuple[IPv4Address, IPv4Address], count: int, lease_seconds: int, *, scattered: bool
) -> bytes:
    """Return the log of `count` leases of clients 0 and on: all over the pool, or lowest first."""
    first, size = int(pool[0]), int(pool[1]) - int(pool[0]) + 1
    stride = stride_over(size) if scattered else 1
    return b"".join(
        RECORD.pack(client, (first + client * stride % size).to_bytes(4, "big"), SERVER_ID, lease_seconds)
        for client in range(count)
    )
