"""What is wrong with a site file, and what the server refuses of it, is told by line."""

import time

import pytest
from cli.site_shell import Shell, client, service, shell

from api.client import Client

__all__ = ["client", "service", "shell"]

WRONG = """
prefixes:
  - cidr: 10.5.0.0/16
    subnets:
      - cidr: 10.5.1.1/24
      - cidr: 10.5.2.0/24
        gatway: 10.5.2.1
      - cidr: 10.5.3.0/24
        relay_addresses: [10.5.3.1, relay]
        reservations:
          - {ip: 10.5.3.20, mac: no mac}
          - {ip: 10.5.3.21, mac: "02:00:00:00:00:01"}
          - {ip: 10.5.3.22, mac: "02-00-00-00-00-01"}
        options: [{code: 6, payload: {addresses: [x]}}]
dns_servers:
  - {name: ns, adapter: bind_tsig, address: 10.5.0.1, secret: plain}
  - {name: ns, adapter: bind_tsig, address: 10.5.0.1, secret: {env: NOBODY_HAS_SET_IT}}
printers: []
"""


def test_all_faults_are_named_with_their_lines(shell: Shell) -> None:
    """Of entries below wrong ones too."""
    said = shell.fails(WRONG)
    payload = said.pop(5)
    assert payload.startswith("14: options domain-name-servers (6): payload.addresses[0]: option 6 ")
    assert said == [
        "5: subnets 10.5.1.1/24: cidr: has host bits set; the network is 10.5.1.0/24",
        "7: subnets 10.5.2.0/24: gatway: there is no such field; did you mean gateway?",
        "9: subnets 10.5.3.0/24: relay_addresses[1]: must be an IPv4 or IPv6 address",
        "11: reservations no mac: mac: must be a hardware address of six octets, such as aa:bb:cc:dd:ee:ff",
        "13: reservations 02:00:00:00:00:01: is a duplicate of line 12",
        "16: dns-servers ns: secret: must be {env: NAME} or {file: PATH}: a site file must not contain secrets",
        "17: dns-servers ns: is a duplicate of line 16",
        "17: dns-servers ns: secret: the environment variable NOBODY_HAS_SET_IT is not set",
        "18: printers: there is no such field",
    ]


MIXED = """
client_classes:
  - {name: phones, mac_prefix: nonsense}
pools: []
dns_zones:
  - {name: "10.5.4.0/22", records: [{name: www, type: A, data: 192.0.2.1, tll: 60}]}
  - {name: example.net, dns_server: ns1, secondaries: [ns2], ddns: true, default_ttl: x, records: [{name: w, type: A}]}
prefixes:
  - cidr: 10.5.0.0/16
    subnets:
      - {cidr: 10.5.1.0/24, gateway: 10.6.1.1, vlan: 7, pools: [{start_ip: 10.5.1.9, end_ip: 10.5.1.8, class: phones}]}
      - {cidr: 10.5.2.0/33, pools: [{start_ip: 10.5.2.1, end_ip: here, class: phoned, name: [x]}]}
      - {cidr: 10.5.3.0/24, excludes: [{start_ip: 10.5.4.1, end_ip: 10.5.4.2}], assignments: [{ip: 10.5.3.0}]}
tenants:
  - {name: acme, reservations: [{mac: "02:00:00:00:00:01", ip: 10.5.1.1, class: phones}]}
"""


def test_faults_of_all_kinds_are_named_together(shell: Shell) -> None:
    """Unknown fields, bad values, names that nothing bears, addresses out of place: each once. A class that is wrong
    itself is none that lacks."""
    shell.apply("dns_servers: [{name: ns3, adapter: bind_tsig, address: 10.5.0.1}]")
    assert shell.fails(MIXED) == [
        "3: client-classes phones: mac_prefix: must be octets in hex, such as 01:aa:bb:cc",
        "4: pools: cannot be here: pools are below subnets",
        "6: dns-records www A 192.0.2.1: tll: there is no such field; did you mean ttl?",
        "6: dns-zones 10.5.4.0/22: name: 10.5.4.0/22 has 4 reverse zones: create 4.5.10.in-addr.arpa, "
        "5.5.10.in-addr.arpa, 6.5.10.in-addr.arpa, 7.5.10.in-addr.arpa; or create 5.10.in-addr.arpa for all of "
        "10.5.0.0/16",
        "7: dns-records w A: data: is required",
        "7: dns-zones example.net: ddns: there is no such field",
        "7: dns-zones example.net: default_ttl: expected int, got str",
        "7: dns-zones example.net: dns_server: there is no DNS server ns1; did you mean ns3?",
        "7: dns-zones example.net: secondaries: there is no DNS server ns2; did you mean ns3?",
        "11: pools 10.5.1.9-10.5.1.8: end_ip: must not be lower than start_ip",
        "11: subnets 10.5.1.0/24: gateway: must be an address of a host in 10.5.1.0/24",
        "11: subnets 10.5.1.0/24: vlan: there is no such field; did you mean vlan_id?",
        "12: pools 10.5.2.1-here: class: there is no client class phoned; did you mean phones?",
        "12: pools 10.5.2.1-here: end_ip: must be an IPv4 or IPv6 address",
        "12: pools 10.5.2.1-here: name: expected str, got array",
        "12: subnets 10.5.2.0/33: cidr: must be a network in CIDR notation, such as 192.0.2.0/24",
        "13: assignments 10.5.3.0: hostname: is required",
        "13: excludes 10.5.4.1-10.5.4.2: start_ip: 10.5.4.1 is not inside the subnet 10.5.3.0/24",
        "15: reservations 02:00:00:00:00:01: class: there is no client class phones",
        "15: reservations 02:00:00:00:00:01: ip: requires a subnet: set subnet_id",
    ]


UNREADABLE = {
    "prefixes: [{cidr: 10.6.0.0/16, cidr: 10.7.0.0/16}]": "1: cidr is there twice",
    "prefixes: [": "2: ",
    "- a": "1: must be a mapping",
    "prefixes: {cidr: 10.6.0.0/16}": "1: prefixes: must be a list",
    "prefixes: [10.6.0.0/16]": "1: prefixes[0]: must be a mapping",
    "? [a]\n: b": "1: must be a name",
    "name: ']'\n": "1: name: must be a text",
}


def test_a_file_that_cannot_be_read(shell: Shell) -> None:
    for text, said in UNREADABLE.items():
        assert shell.fails(text)[0].startswith(said), text


def test_what_the_server_refuses_is_told_by_line_too(shell: Shell, client: Client) -> None:
    text = "prefixes:\n  - cidr: 10.7.0.0/16\n    subnets:\n      - cidr: 10.7.1.0/24\n{}"
    beyond = text.format("        gateway: 10.8.1.1\n")
    (said,) = shell.fails(beyond)
    assert said.startswith("5: subnets 10.7.1.0/24: gateway: must be an address of a host in 10.7.1.0/24")
    shell.apply(text.format("        excludes: [{start_ip: 10.7.1.2, end_ip: 10.7.1.9}]\n"))
    inside = "        excludes: [{start_ip: 10.7.1.2, end_ip: 10.7.1.9}]\n        reservations:\n"
    (said,) = shell.fails(text.format(inside + "          - {ip: 10.7.1.5, mac: 02:00:00:00:00:01}\n"))
    assert said.startswith("7: reservations 02:00:00:00:00:01: ")
    (said,) = shell.fails(
        text.format("        pools: [{start_ip: 10.7.1.20, end_ip: 10.7.1.29, class: nobody}]\n")
    )
    assert said == "5: pools 10.7.1.20-10.7.1.29: class: there is no client class nobody"
    assert list(client.items("/pools")) == []


HOSTILE = {
    "prefixes: " + "[" * 100_000: "1: is nested deeper than 64 levels",
    "a0: &a0 {x: y}\n"
    + "\n".join(
        f"a{n}: &a{n} {{{', '.join(f'x{i}: *a{n - 1}' for i in range(9))}}}" for n in range(1, 10)
    ): "6: *a4: aliases repeat",
    "prefixes:\n- !!python/name:os.system x\n": "2: tag:yaml.org,2002:python/name:os.system: tags are not taken",
    "prefixes: [{cidr: 10.0.0.0/8, custom: " + '{"a": ' * 100_000: "1: is nested deeper than 64 levels",
}


def test_a_hostile_file_ends_within_a_second(shell: Shell) -> None:
    """Depth crashed the interpreter, aliases took minutes."""
    for text, said in HOSTILE.items():
        began = time.process_time()
        assert shell.fails(text)[0].startswith(said), text[:80]
        assert time.process_time() - began < 5


def test_a_file_that_is_wrong_everywhere_is_not_read_to_its_end(shell: Shell) -> None:
    said = shell.fails("prefixes: [" + "1," * 300_000 + "]")
    assert len(said) == 101
    assert "1: stopped after 100 errors; the rest of the file was not read" in said


REFUSED = """
prefixes:
  - cidr: 10.8.0.0/16
    subnets:
      - cidr: 10.8.1.0/24
        pools: [{start_ip: 10.8.1.100, end_ip: 10.8.1.120}]
        reservations:
          - {ip: 10.8.1.20, mac: "02:00:00:00:08:01"}
          - {ip: 10.8.1.20, mac: "02:00:00:00:08:02"}
        assignments: [{ip: 10.8.1.20, hostname: printer}]
      - {cidr: 10.8.2.0/24, pools: [{start_ip: 10.8.2.9, end_ip: 10.8.2.20}, {start_ip: 10.8.2.20, end_ip: 10.8.2.30}]}
      - {cidr: 10.8.1.128/25, pools: [{start_ip: 10.8.1.130, end_ip: 10.8.1.140}]}
"""


@pytest.mark.parametrize("arguments", [[], ["--dry-run"]])
def test_all_that_the_server_refuses_is_told_at_once(
    shell: Shell, client: Client, arguments: list[str]
) -> None:
    """One refusal a run was told. Objects below a refused one are not judged, and nothing is made."""
    said = shell.fails(REFUSED, *arguments)
    assert [line.partition(": ")[0] for line in said] == ["9", "10", "11", "12"]
    assert said[0].startswith("9: reservations 02:00:00:00:08:02: ")
    assert said[3].startswith("12: subnets 10.8.1.128/25: ")
    assert list(client.items("/prefixes", cidr="10.8.0.0/16")) == []


def test_what_the_server_refuses_is_told_with_the_faults_of_the_file(shell: Shell) -> None:
    """Not of entries that have a fault, nor of those that refer to one."""
    text = REFUSED + "client_classes: [{name: phones, mac_prefix: nonsense}]\n"
    text = text.replace("end_ip: 10.8.2.30", "end_ip: 10.8.2.30, class: phones").replace(
        "cidr: 10.8.1.128", "gatway: x, cidr: 10.8.1.128"
    )
    said = shell.fails(text)
    assert [line.partition(": ")[0] for line in said] == ["9", "10", "12", "13"]
    assert "gatway: there is no such field" in said[2]
    assert "mac_prefix: must be octets" in said[3]
