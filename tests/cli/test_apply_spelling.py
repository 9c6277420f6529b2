"""`ipam apply` twice is as once, whatever notation the file has; what it says can be read by programs and people."""

import json
import os
import subprocess
from pathlib import Path

from cli.serving import IPAM, serving

SITE = """
name: lab
prefixes:
  - cidr: "2001:DB8:0::/32"
    subnets:
      - cidr: 2001:0db8:0001::/64
        gateway: "2001:DB8:1:0:0::1"
        excludes: [{start_ip: "2001:DB8:1::0A", end_ip: "2001:db8:1::F"}]
        pools: [{name: p, start_ip: "2001:DB8:1::100", end_ip: "2001:DB8:1::0200"}]
        reservations: [{ip: "2001:DB8:1::0020", duid: "00-01-AB"}]
        options: [{family: 6, code: 23, payload: {addresses: ["2001:DB8::0053"]}}]
  - cidr: 10.40.0.0/16
    subnets:
      - cidr: 10.40.1.0/24
        relay_addresses: ["10.40.1.1"]
        ntp_servers: ["10.40.1.2"]
        tags: [Core, " lab ", core]
        custom: {owner: net, rack: {row: 7, unit: 3}}
        reservations:
          - {ip: 10.40.1.20, mac: "AA-BB-CC-00-00-01", hostname: printer.}
          - {ip: 10.40.1.21, mac: aabb.cc00.0002}
          - {ip: 10.40.1.22, client_id: "01AABB"}
          - {ip: 10.40.1.23, circuit_id: "0X0A0B"}
        options:
          - {code: 43, payload: {hex: "0A:0B"}}
          - {code: 119, payload: {names: [a.example.]}}
          - {code: 121, payload: {routes: [{destination: 0.0.0.0/0, router: 10.40.1.1}]}}
"""
TAKEN = """
name: taken
prefixes:
  - cidr: 10.50.0.0/16
    subnets:
      - cidr: 10.50.1.0/24
        reservations:
          - {ip: 10.50.1.20, mac: "aa:bb:cc:00:00:01"}
          - {ip: 10.50.1.21, mac: "no mac"}
"""


def test_the_same_site_changes_nothing(database: str, tmp_path: Path) -> None:
    (tmp_path / "site.yaml").write_text(SITE)
    (tmp_path / "taken.yaml").write_text(TAKEN)
    with serving(database, tmp_path) as served:
        environment = os.environ | {"IPAM_API_URL": served.url, "IPAM_API_TOKEN": served.token}

        def ipam(*arguments: str) -> subprocess.CompletedProcess[str]:
            command = [*IPAM, *arguments]
            return subprocess.run(
                command, env=environment, cwd=tmp_path, capture_output=True, text=True, check=False
            )

        first = ipam("apply", "-f", "site.yaml", "--json")
        assert first.returncode == 0, first.stderr
        told = [json.loads(line) for line in first.stdout.splitlines()]
        assert {step["change"] for step in told} == {"create"}
        assert "reservations aa:bb:cc:00:00:01" in [step["what"] for step in told]
        again = ipam("apply", "-f", "site.yaml")
        assert (again.returncode, again.stdout, again.stderr.splitlines()[-1]) == (0, "", "0 changed")
        (tmp_path / "site.yaml").write_text(SITE.replace("owner: net, ", "").replace(", unit: 3", ""))
        fewer = ipam("apply", "-f", "site.yaml", "--json")
        assert json.loads(fewer.stdout)["what"] == "subnets 10.40.1.0/24: custom"
        assert ipam("apply", "-f", "site.yaml").stderr.splitlines()[-1] == "0 changed"
        refused = ipam("apply", "-f", "taken.yaml")
        assert refused.returncode == 1
        assert refused.stderr.startswith("ipam: taken.yaml:9: reservations no mac: mac: ")
