"""`ipam apply` of site files in a folder of its own, at one API a file of tests; and two sites to apply."""

from collections.abc import Iterator
from pathlib import Path

import pytest
from cli.serving import Served, serving
from click.testing import CliRunner, Result

from api.cli import main
from api.client import Client

SITE = """
tenants:
  - name: acme
    description: A customer
    client_classes: [{name: phones, mac_prefix: "00-1A"}]
    prefixes:
      - cidr: 10.9.0.0/16
        subnets:
          - cidr: 10.9.1.0/24
            pools: [{start_ip: 10.9.1.100, end_ip: 10.9.1.150, class: phones}]
option_definitions:
  - {code: 224, name: door, kind: string}
  - {code: 1, name: controller, kind: address, vendor_space: ACME}
client_classes:
  - name: uefi
    priority: 20
    vendor_class: "PXEClient:Arch:00007"
    next_server: 10.1.0.5
    boot_file: ipxe.efi
    options: [{code: 150, payload: {hex: "0A010005"}}]
  - {name: pxe, priority: 10, match: {all: [{option: 60, prefix: PXEClient}]}}
global_options:
  - {code: 6, payload: {addresses: [10.1.0.53]}}
  - {family: 6, code: 23, payload: {addresses: ["2001:DB8::53"]}}
trusted_relays: [{cidr: 10.1.0.0/16, description: All of the house}]
dns_servers:
  - {name: ns1, adapter: bind_tsig, address: 10.1.0.53, key_name: ddns., secret: {env: SITE_KEY}}
  - {name: ns2, adapter: bind_tsig, address: 10.1.0.54}
dns_zones:
  - name: Example.NET.
    dns_server: ns1
    secondaries: [ns2]
    mname: NS1.example.net.
    rname: dns.admin@example.net
    records:
      - {name: www.example.net., type: a, data: 192.0.2.1}
      - {name: mail, type: MX, data: 10 mx, ttl: 300}
      - {name: "@", type: TXT, data: v=spf1 -all}
reservations: [{mac: 02-00-00-00-00-99, hostname: roamer, class: pxe}]
notifications: [{name: on call, kind: ntfy, url: "https://ntfy.example.net", topic: dhcp, severity: warning}]
webhooks: [{url: "https://hooks.example.net/x", events: [lease.granted], secret: {file: hook.key}}]
prefixes:
  - cidr: 10.1.0.0/16
    subnets:
      - cidr: 10.1.1.0/24
        name: office
        gateway: 10.1.1.1
        relay_addresses: [10.1.1.1]
        ddns_dns_server: ns1
        cache_threshold: 0.3
        options: [{code: 224, payload: {string: front}}]
        pools:
          - name: desks
            start_ip: 10.1.1.100
            end_ip: 10.1.1.149
            options: [{code: 42, payload: {addresses: [10.1.1.3]}}]
          - {name: boot, start_ip: 10.1.1.150, end_ip: 10.1.1.159, class: uefi}
        excludes: [{start_ip: 10.1.1.2, end_ip: 10.1.1.9}]
        assignments: [{ip: 10.1.1.2, hostname: switch, aliases: [NTP, time.example.net.], alias_records: address}]
        reservations:
          - {ip: 10.1.1.20, mac: 02:00:00:12:34:56, options: [{code: 12, payload: {string: printer}}]}
          - {circuit_id: eth0/1}
  - cidr: "2001:DB8::/32"
    subnets:
      - cidr: 2001:db8:1::/64
        options: [{code: 23, payload: {addresses: ["2001:db8:0::53"]}}]
        pools: [{prefix: "2001:db8:ff::/48", delegated_length: 56}]
        reservations: [{ip: "2001:db8:1::20", duid: 00-01-AB}]
"""


def vlan(number: int, relay: str, rest: str = "") -> str:
    hosts = "".join(
        f"          - {{ip: 10.20.{number}.{n}, mac: '02:00:00:00:{number:02x}:{n:02x}', hostname: h{number}-{n}}}\n"
        for n in range(10, 60)
    )
    return f"""      - cidr: 10.20.{number}.0/24
        name: vlan{number}
        gateway: 10.20.{number}.1
        relay_addresses: [{relay}]
        excludes: [{{start_ip: 10.20.{number}.2, end_ip: 10.20.{number}.9}}]
        pools: [{{name: dynamic, start_ip: 10.20.{number}.100, end_ip: 10.20.{number}.199{rest}}}]
        reservations:
{hosts}"""


RELAYS = ("10.20.1.1", "10.20.2.1")
CAMPUS = f"""
name: campus
trusted_relays: [{{cidr: 10.20.1.1/32}}, {{cidr: 10.20.2.1/32}}]
client_classes:
  - {{name: bios, priority: 10, match: {{option: 93, equals: 0}}, next_server: 10.20.1.5, boot_file: undionly.kpxe}}
  - {{name: uefi, priority: 11, match: {{option: 93, in: [7, 9]}}, next_server: 10.20.1.5, boot_file: ipxe.efi}}
  - {{name: ipxe, priority: 12, user_class: iPXE, boot_file: "http://10.20.1.5/boot.ipxe"}}
  - {{name: guests, priority: 20, locally_administered: true}}
global_options: [{{code: 6, payload: {{addresses: [10.20.1.53]}}}}, {{code: 15, payload: {{string: example.net}}}}]
prefixes:
  - cidr: 10.20.0.0/16
    subnets:
{"".join(vlan(n, RELAYS[n % 2], ", class: guests" if n == 6 else "") for n in range(1, 7))}"""


CLEARED = (
    *("prefixes", "reservations", "global-options", "client-classes", "trusted-relays", "dns-zones"),
    *("dns-servers", "webhooks", "notifications", "option-definitions", "tenants"),
)


@pytest.fixture(scope="module")
def service(module_database: str, tmp_path_factory: pytest.TempPathFactory) -> Iterator[Served]:
    with serving(module_database, tmp_path_factory.mktemp("api"), managed_address_limit="0") as running:
        yield running


@pytest.fixture
def client(service: Served) -> Iterator[Client]:
    with Client(service.url, service.token) as client:
        yield client
        for family in CLEARED:
            for item in list(client.items(f"/{family}")):
                if not item.get("is_default"):
                    client.delete(
                        "options" if family == "global-options" else family, item["id"], cascade=True
                    )


class Shell:
    """`ipam apply` of a file in a folder of its own."""

    def __init__(self, served: Served, folder: Path) -> None:
        self.told = {"IPAM_API_URL": served.url, "IPAM_API_TOKEN": served.token, "SITE_KEY": "c2VjcmV0"}
        self.folder = folder

    def ipam(self, *arguments: str, status: int = 0) -> Result:
        ran = CliRunner().invoke(main, arguments, env=self.told, catch_exceptions=False)
        assert ran.exit_code == status, ran.output
        return ran

    def apply(self, text: str, *arguments: str, status: int = 0) -> list[str]:
        path = self.folder / "site.yaml"
        path.write_text(text)
        return self.ipam("apply", "-f", str(path), *arguments, status=status).stdout.splitlines()

    def fails(self, text: str, *arguments: str) -> list[str]:
        path = self.folder / "site.yaml"
        path.write_text(text)
        said = self.ipam("apply", "-f", str(path), *arguments, status=1).stderr
        return [line.partition("site.yaml:")[2] for line in said.splitlines()]

    def export(self) -> str:
        return self.ipam("export").stdout


@pytest.fixture
def shell(service: Served, client: Client, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Shell:
    monkeypatch.chdir(tmp_path)
    (tmp_path / "hook.key").write_text("whsec_" + "QUJD" * 10 + "\n")
    return Shell(service, tmp_path)
