"""What is wrong with a site file, and what the server refuses of it, is told by line."""

import time

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
    said = shell.fails(WRONG)
    assert [line.split(": ")[0] for line in said] == ["5", "7", "9", "16", "17", "18"]
    assert said[0] == "5: subnets 10.5.1.1/24: cidr: has host bits set; the network is 10.5.1.0/24"
    assert said[1] == "7: subnets 10.5.2.0/24: gatway: there is no such field"
    assert said[2] == "9: subnets 10.5.3.0/24: relay_addresses[1]: must be an IPv4 or IPv6 address"
    assert (
        said[3]
        == "16: dns-servers ns: secret: must be {env: NAME} or {file: PATH}: a site file must not contain secrets"
    )
    assert "NOBODY_HAS_SET_IT is not set" in said[4]
    mended = shell.fails(WRONG[: WRONG.index("dns_servers")].replace(", relay]", "]"))
    assert [line.split(": ")[0] for line in mended] == ["5", "7", "11", "13", "14"]
    assert mended[3] == "13: reservations 02:00:00:00:00:01: is a duplicate of line 12"


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
    assert said == "5: pools 10.7.1.20 10.7.1.29: class: there is no client class nobody"
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
        began = time.monotonic()
        assert shell.fails(text)[0].startswith(said), text[:80]
        assert time.monotonic() - began < 5


def test_a_file_that_is_wrong_everywhere_is_not_read_to_its_end(shell: Shell) -> None:
    said = shell.fails("prefixes: [" + "1," * 300_000 + "]")
    assert len(said) == 101
    assert "1: stopped after 100 errors; the rest of the file was not read" in said
