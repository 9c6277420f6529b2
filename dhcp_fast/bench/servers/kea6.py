"""Debian's Kea DHCPv6 beside ours. The module kea.py describes its start and its configuration.

It listens on ::1. Answers are sent to the source port of the relay, which requests it (RFC 8357).
"""

from pathlib import Path
from typing import Any

from dhcp_fast.bench.servers import bench_plan6
from dhcp_fast.bench.servers.kea import Kea

ADDRESS = "::1"


class Kea6(Kea):
    """A Kea process on ::1; a context manager."""

    address = ADDRESS
    bound = "00000000000000000000000001000000"
    table = Path("/proc/net/udp6")
    name = "kea-dhcp6"

    def _fill(self) -> None:
        """Begin without leases; the file is its own to make."""
        if self.database:
            self.database.create()

    def _configuration(self) -> dict[str, Any]:
        four = super()._configuration()["Dhcp4"]
        kept = ("lease-database", "multi-threading", "statistic-default-sample-count")
        log = {"name": self.name, "severity": "WARN", "output_options": [{"output": "stderr"}]}
        interfaces = {"interfaces": [f"lo/{ADDRESS}"]}
        return {
            "Dhcp6": {
                **{key: four[key] for key in kept},
                "interfaces-config": interfaces,
                "server-id": {"type": "LL", "htype": 1, "identifier": "020000000001", "persist": False},
                "subnet6": [self._subnet()],
                "loggers": [log],
            }
        }

    def _subnet(self) -> dict[str, Any]:
        options = {"dns-servers": "2001:db8::53, 2001:db8::54", "domain-search": "example.test"}
        delegation = {
            "prefix": str(bench_plan6.DELEGATED.network_address),
            "prefix-len": bench_plan6.DELEGATED.prefixlen,
            "delegated-len": bench_plan6.DELEGATED_LENGTH,
        }
        return {
            "id": 1,
            "subnet": str(bench_plan6.SUBNET),
            "pools": [{"pool": " - ".join(map(str, bench_plan6.POOL))}],
            "pd-pools": [delegation],
            "valid-lifetime": self.site.lease_seconds,
            "preferred-lifetime": self.site.lease_seconds * 5 // 8,
            "option-data": [{"name": name, "data": data} for name, data in options.items()],
        }
