"""An IPv6 address plan of one test, written as rows; see engine/site.py.

Each subnet 2001:db8:N::/64 is chosen by a relay that says the link-address 2001:db8:N::1.
"""

from __future__ import annotations

from collections.abc import Iterator
from ipaddress import IPv6Address, IPv6Network
from typing import Any, Self

from engine.site import Site, Subnet

from dhcp_fast.bench.servers.bench_plan import add

Address = IPv6Address | str


class Subnet6(Subnet):
    """A /64 and the link-address of the relay that stands in front of it."""

    site: Site6
    network: IPv6Network  # type: ignore[assignment]

    def __init__(self, site: Site6, no: int, number: int, network: IPv6Network) -> None:
        self.site = site
        self.no = no
        self.number = number
        self.network = network
        self.link = network[1]

    def address(self, last: int) -> IPv6Address:  # type: ignore[override]
        return self.network[last]

    async def whole_pool(self, **fields: Any) -> int:
        """All of the /64."""
        start, end = self.network[0], self.network[-1]
        return await add(
            self.site.connection, "pool", subnet_no=self.no, start_ip=start, end_ip=end, **fields
        )

    async def delegation_pool(self, prefix: str, length: int, **fields: Any) -> int:
        told = {"prefix": IPv6Network(prefix), "delegated_length": length} | fields
        return await add(self.site.connection, "pool", subnet_no=self.no, **told)

    async def reserve_prefix(self, prefix: str, **identity: Any) -> int:
        return await add(
            self.site.connection, "reservation", subnet_no=self.no, prefix=IPv6Network(prefix), **identity
        )

    async def option(self, code: int, payload: dict[str, Any], **fields: Any) -> int:
        return await self.site.option(code, payload, subnet_no=self.no, **fields)


class Site6(Site):
    """One tenant's IPv6 plan and its lease tables, over one connection."""

    @classmethod
    async def create(
        cls, connection: Any, numbers: Iterator[int] | None = None, cidr: str = "2001:db8::/32"
    ) -> Self:
        return await super().create(connection, numbers, cidr)

    async def subnet(self, number: int = 5, **fields: Any) -> Subnet6:  # type: ignore[override]
        """2001:db8:N::/64; every renewal is a write unless the test says otherwise."""
        number = self.number(number)
        told = {
            "tenant_no": self.tenant_no,
            "prefix_no": self.prefix_no,
            "cidr": IPv6Network(f"2001:db8:{number}::/64"),
            "lease_time_seconds": 800,
            "cache_threshold": 0.0,
        }
        fields = told | fields
        return Subnet6(self, await add(self.connection, "subnet", **fields), number, fields["cidr"])

    async def option(self, code: int, payload: dict[str, Any], **fields: Any) -> int:
        return await super().option(code, payload, family=6, **fields)

    async def lease(self, address: Any) -> dict[str, Any]:
        row = await self.connection.fetchrow(
            "select * from lease where tenant_no = $1 and address = $2", self.tenant_no, IPv6Address(address)
        )
        return dict(row or {})

    async def events(self, address: Any) -> list[dict[str, Any]]:
        rows = await self.connection.fetch(
            "select * from lease_event where tenant_no = $1 and address = $2 order by version",
            self.tenant_no,
            IPv6Address(address),
        )
        return [dict(row) for row in rows]

    async def put_lease(self, address: Any, key: bytes, subnet_no: int, **fields: Any) -> int:  # type: ignore[override]
        """A row as a server would have left it, of the association that `association_key` spells."""
        told = {
            "hw_type": None,
            "hw_address": None,
            "prefix_length": 128,
            "client_key": key,
            "ia_type": int.from_bytes(key[1:3], "big"),
            "iaid": int.from_bytes(key[3:7], "big"),
            "duid": key[7:],
        }
        return await super().put_lease(address, b"", subnet_no, **told | fields)


def association_key(kind: int, iaid: int, duid: bytes) -> bytes:
    """The client key of an identity association: kind of key, IA type, IAID, DUID (engine rule 32)."""
    return b"\x06" + kind.to_bytes(2, "big") + iaid.to_bytes(4, "big") + duid
