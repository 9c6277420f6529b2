"""A site file means what it says: every family, references by name, an edit that changes exactly that, export."""

import asyncio
import csv
import io
import json
import re
from ipaddress import ip_address

import jsonschema_rs
import pytest
import yaml
from cli.site_shell import CAMPUS, SITE, Shell, client, service, shell
from rest.leases import PUT

from api.cli.objects import is_written
from api.cli.site import making
from api.cli.site.schema import schema
from api.cli.site.stored import STATIC
from api.client import Client
from ipam_core.db.connect import connect
from ipam_core.model.families import FAMILIES

__all__ = ["client", "service", "shell"]


def test_every_family_and_an_export_that_changes_nothing(shell: Shell, client: Client) -> None:
    made = shell.apply(SITE)
    assert {line[0] for line in made} == {"+"}
    assert shell.apply(SITE, "--prune", "--detailed-exitcode") == []
    (pool,) = client.items("/pools", class_id=next(client.items("/client-classes", name="uefi"))["id"])
    assert pool["name"] == "boot"
    server = next(client.items("/dns-servers", name="ns1"))
    assert server["has_secret"]
    text = shell.export()
    assert "c2VjcmV0" not in text
    assert "QUJD" not in text
    assert "relay_addresses: []" not in text
    assert text.startswith("# yaml-language-server: $schema=site.schema.json\n")
    assert shell.apply(text, "--prune", "--detailed-exitcode") == []
    for each in (SITE, text, CAMPUS):
        validator().validate(yaml.safe_load(each.replace("02:00:00:12:34:56", "'02:00:00:12:34:56'")))
    assert not validator().is_valid({"prefixes": [{"cidr": "10.0.0.0/16", "gatway": "10.0.0.1"}]})


def validator() -> jsonschema_rs.Draft202012Validator:
    return jsonschema_rs.Draft202012Validator(schema())


def test_a_dry_run_lists_what_apply_does_in_its_order(shell: Shell) -> None:
    """Kept objects first, then the changes; the counts are of objects."""
    one = "prefixes: [{cidr: 10.2.0.0/16}, {cidr: 10.3.0.0/16}]\ntrusted_relays: [{cidr: 10.2.0.1/32}]"
    (shell.folder / "one.yaml").write_text(one)
    assert shell.ipam("apply", "-f", "one.yaml", "--dry-run").stderr == "3 to create\n"
    assert shell.ipam("apply", "-f", "one.yaml").stderr == "3 created\n"
    assert shell.ipam("apply", "-f", "one.yaml").stderr == "nothing changed\n"
    other = "prefixes: [{cidr: 10.2.0.0/16, description: x}, {cidr: 10.4.0.0/16}]\ntrusted_relays: []"
    (shell.folder / "other.yaml").write_text(other)
    rehearsed = shell.ipam("apply", "-f", "other.yaml", "--dry-run")
    done = shell.ipam("apply", "-f", "other.yaml")
    assert rehearsed.stdout == done.stdout
    assert [line.split(" is not")[0] for line in done.stdout.splitlines()] == [
        "= prefixes 10.3.0.0/16",
        "= trusted-relays 10.2.0.1/32",
        "~ prefixes 10.2.0.0/16: description (none) -> x",
        "+ prefixes 10.4.0.0/16",
    ]
    assert (rehearsed.stderr, done.stderr) == ("1 to create, 1 to change\n", "1 created, 1 changed\n")


def test_an_edit_changes_exactly_that(shell: Shell, client: Client) -> None:
    """What vanishes from an entry goes back to its default; a new card and another length make no new objects."""
    shell.apply(SITE)
    edited = (
        SITE.replace("        gateway: 10.1.1.1\n", "")
        .replace("cache_threshold: 0.3", "lease_time_seconds: 3600")
        .replace("mac: 02:00:00:12:34:56", "mac: 02:00:00:12:34:57")
        .replace("end_ip: 10.1.1.149", "end_ip: 10.1.1.148")
        .replace(", class: uefi}", "}")
        .replace("data: 192.0.2.1", "data: 192.0.2.2")
        .replace("secondaries: [ns2]", "secondaries: [ns2, ns1]")
    )
    changes = [
        "~ subnets 10.1.1.0/24: gateway 10.1.1.1 -> (none); lease_time_seconds 86400 -> 3600;"
        " cache_threshold 0.3 -> 0.25",
        "~ pools 10.1.1.100-10.1.1.148 in subnet 10.1.1.0/24: end_ip 10.1.1.149 -> 10.1.1.148",
        "~ pools 10.1.1.150-10.1.1.159 in subnet 10.1.1.0/24: class uefi -> (none)",
        "~ reservations 02:00:00:12:34:57 in subnet 10.1.1.0/24: mac 02:00:00:12:34:56 -> 02:00:00:12:34:57",
        "~ dns-records www A 192.0.2.2 in DNS zone example.net: data 192.0.2.1 -> 192.0.2.2",
        '~ dns-zones example.net: secondaries ["ns2"] -> ["ns2","ns1"]',
    ]
    assert sorted(shell.apply(edited, "--dry-run", "--detailed-exitcode", status=2)) == sorted(changes)
    assert sorted(shell.apply(edited, "--detailed-exitcode", status=2)) == sorted(changes)
    assert shell.apply(edited, "--detailed-exitcode") == []
    assert next(client.items("/subnets", cidr="10.1.1.0/24"))["gateway"] is None


def test_a_payload_takes_another_shape(shell: Shell) -> None:
    """A merge patch alone would keep the member that is gone."""
    shell.apply("global_options: [{code: 6, payload: {addresses: [10.1.0.53]}}]")
    (change,) = shell.apply('global_options: [{code: 6, payload: {hex: "0a010035"}}]')
    assert (
        change
        == '~ global-options domain-name-servers (6): payload {"addresses":["10.1.0.53"]} -> {"hex":"0a010035"}'
    )


def test_what_left_the_file_is_left_alone_until_it_is_pruned(shell: Shell, client: Client) -> None:
    """With all that stands below it; a class that a pool does not need any more goes behind the pool's change."""
    shell.apply(SITE)
    prefix = SITE.index('  - cidr: "2001:DB8::/32"')
    start, end = SITE.index("  - name: uefi"), SITE.index("  - {name: pxe")
    less = (SITE[:start] + SITE[end:prefix]).replace(", class: uefi}", "}")
    left = "is not in the file: kept (--prune deletes it)"
    assert shell.apply(less) == [
        f"= client-classes uefi {left}",
        f"= prefixes 2001:db8::/32 {left}",
        "~ pools 10.1.1.150-10.1.1.159 in subnet 10.1.1.0/24: class uefi -> (none)",
    ]
    shell.apply(SITE)
    gone = shell.apply(less, "--prune")
    assert gone == [
        "- options tftp-server-address (150) in client class uefi",
        "- pools 2001:db8:ff::/48 in subnet 2001:db8:1::/64",
        "- reservations 00:01:ab in subnet 2001:db8:1::/64",
        "- options dns-servers (23, DHCPv6) in subnet 2001:db8:1::/64",
        "- subnets 2001:db8:1::/64",
        "- prefixes 2001:db8::/32",
        "~ pools 10.1.1.150-10.1.1.159 in subnet 10.1.1.0/24: class uefi -> (none)",
        "- client-classes uefi",
    ]
    assert shell.apply(less, "--prune") == []
    assert [each["name"] for each in client.items("/client-classes")] == ["pxe", "phones"]


def test_a_tenant_goes_with_all_that_it_has(shell: Shell, client: Client) -> None:
    shell.apply(SITE)
    gone = shell.apply("tenants: []", "--prune")
    assert [line for line in gone if line[:2] == "- "] == [
        "- pools 10.9.1.100-10.9.1.150 in subnet 10.9.1.0/24",
        "- subnets 10.9.1.0/24",
        "- prefixes 10.9.0.0/16 in tenant acme",
        "- client-classes phones in tenant acme",
        "- tenants acme",
    ]
    assert [each["name"] for each in client.items("/tenants")] == ["default"]


def test_suffixes_of_a_tenant_permit_its_zones(shell: Shell, client: Client) -> None:
    """In one file; what stands there in another spelling is no change."""
    zones = "dns_zones: [{name: b.acme.example, dns_enabled: true}]"
    text = f"tenants: [{{name: acme, dns_suffixes: [Acme.EXAMPLE.], {zones}}}]"
    shell.apply(text)
    assert [each["dns_suffixes"] for each in client.items("/tenants", name="acme")] == [["acme.example"]]
    assert shell.apply(text, "--detailed-exitcode") == []
    assert shell.apply(shell.export(), "--prune", "--detailed-exitcode") == []
    (said,) = shell.fails(text.replace("Acme.EXAMPLE.", "'*.example'"))
    assert "dns_suffixes" in said


def test_the_default_tenant_stands_at_the_top(shell: Shell, client: Client) -> None:
    text = (
        "tenants: [{name: default, trusted_relays: [{cidr: 10.2.0.1/32}], prefixes: [{cidr: 10.2.0.0/16}]}]"
    )
    (said,) = shell.fails(text)
    assert said.startswith(
        "1: tenants default: prefixes: must be at the top of the file for the default tenant"
    )
    shell.apply(text.replace(", prefixes: [{cidr: 10.2.0.0/16}]", ""))
    (relay,) = client.items("/trusted-relays")
    assert relay["tenant_id"] == next(client.items("/tenants"))["id"]
    assert shell.apply(shell.export(), "--prune", "--detailed-exitcode") == []


def test_ranges_move_against_each_other(shell: Shell, client: Client) -> None:
    """The one that gets shorter makes room, whichever stands first."""
    text = (
        "prefixes: [{{cidr: 10.2.0.0/16, subnets: [{{cidr: 10.2.1.0/24, pools: ["
        "{{start_ip: 10.2.1.10, end_ip: 10.2.1.{}}}, {{start_ip: 10.2.1.{}, end_ip: 10.2.1.99}}]}}]}}]"
    )
    shell.apply(text.format(49, 50))
    kept = {each["id"] for each in client.items("/pools")}
    for last in (59, 39):
        assert len(shell.apply(text.format(last, last + 1))) == 2
        assert shell.apply(text.format(last, last + 1), "--prune") == []
    assert {each["id"] for each in client.items("/pools")} == kept


def test_a_payload_is_read_by_a_definition_of_the_server(shell: Shell, client: Client) -> None:
    """A file need not repeat it."""
    client.create("option-definitions", code=230, name="mask", kind="address")
    text = "global_options: [{code: 230, payload: {addresses: [10.0.0.1]}}]"
    assert shell.apply(text) == ["+ global-options 230"]
    assert shell.apply(text, "--prune") == []
    (said,) = shell.fails("global_options: [{code: 231, payload: {addresses: [10.0.0.1]}}]")
    assert said.startswith("1: global-options 231: payload: ")


ROUTES = "options: [{code: 121, payload: {routes: [{destination: 10.9.0.0/16, router: ROUTER}]}}]"


def test_what_clients_will_miss_is_said(shell: Shell) -> None:
    """Routes that take the gateway away: where they are made or changed, in a rehearsal too."""
    text = f"prefixes: [{{cidr: 10.7.0.0/16, subnets: [{{cidr: 10.7.0.0/24, gateway: 10.7.0.1, {ROUTES}}}]}}]"
    for router in ("10.7.0.7", "10.7.0.8"):
        (shell.folder / "site.yaml").write_text(text.replace("ROUTER", router))
        for arguments in (("--dry-run",), ()):
            said = shell.ipam("apply", "-f", "site.yaml", *arguments).stderr
            assert "(RFC 3442)" in said
            assert "line 1: " in said
    (shell.folder / "site.yaml").write_text(
        text.replace("ROUTER", "10.7.0.8").replace("gateway: 10.7.0.1, ", "")
    )
    shell.ipam("apply", "-f", "site.yaml")
    (shell.folder / "site.yaml").write_text(
        text.replace("ROUTER", "10.7.0.9").replace("gateway: 10.7.0.1, ", "")
    )
    assert "3442" not in shell.ipam("apply", "-f", "site.yaml").stderr, "there is no gateway to lose"


def test_a_list_that_the_file_lacks_is_not_its_business(shell: Shell) -> None:
    shell.apply(SITE)
    said = shell.apply("prefixes: [{cidr: 10.2.0.0/16}]", "--prune", "--dry-run")
    gone = ("subnets", "pools", "excludes", "reservations", "options", "assignments", "prefixes")
    assert "+ prefixes 10.2.0.0/16" in said
    assert {line.split()[1] for line in said if line[0] == "-"} == set(gone)
    assert (
        shell.apply("trusted_relays: [{cidr: 10.1.0.0/16, description: All of the house}]", "--prune") == []
    )


NAMED = """
name: munich
prefixes:
  - cidr: 10.3.0.0/16
    description: Munich
    subnets: [{cidr: 10.3.1.0/24, options: [{code: 6, payload: {addresses: [10.3.1.1]}}]}]
"""


def test_several_files_share_a_server(shell: Shell, client: Client) -> None:
    """A name marks what the file makes. What is there without a mark is adopted, another file's is not."""
    prefix = client.create("prefixes", cidr="10.3.0.0/16", description="Munich")
    client.create("prefixes", cidr="10.4.0.0/16")
    assert shell.apply(NAMED) == [
        "~ prefixes 10.3.0.0/16: description Munich -> Munich [apply: munich]",
        "+ subnets 10.3.1.0/24",
        "+ options domain-name-servers (6) in subnet 10.3.1.0/24",
    ]
    assert client.get("prefixes", prefix.id).created_at == prefix.created_at
    assert shell.apply(NAMED, "--prune") == []
    (said,) = shell.fails(NAMED.replace("munich", "berlin"))
    assert said.startswith("4: prefixes 10.3.0.0/16: is marked [apply: munich]: it belongs to another file")
    assert shell.apply("name: munich\nprefixes: []", "--prune") == [
        "- options domain-name-servers (6) in subnet 10.3.1.0/24",
        "- subnets 10.3.1.0/24",
        "- prefixes 10.3.0.0/16",
    ]
    assert [each["cidr"] for each in client.items("/prefixes")] == ["10.4.0.0/16"]


def many(count: int) -> str:
    hosts = "".join(
        f"          - {{ip: 10.8.{n >> 8}.{n & 255}, mac: '02:00:00:00:{n >> 8:02x}:{n & 255:02x}'}}\n"
        for n in range(1, count)
    )
    return f"prefixes:\n  - cidr: 10.8.0.0/16\n    subnets:\n      - cidr: 10.8.0.0/16\n        reservations:\n{hosts}"


def test_more_than_one_request_takes_is_made_in_several(
    shell: Shell, client: Client, monkeypatch: pytest.MonkeyPatch
) -> None:
    """What follows the first request stands on what that made. The second is refused; applied again the mended file
    makes what is missing, and no more."""
    monkeypatch.setattr(making, "MAX_OPERATIONS", 20)
    clash = many(30) + "          - {ip: 10.8.0.5, mac: '02:00:00:00:ff:ff'}\n"
    (said,) = shell.fails(clash)
    assert said.startswith("35: reservations 02:00:00:00:ff:ff: ")
    assert sum(1 for _ in client.items("/reservations")) == 18
    assert len(shell.apply(many(30))) == 11
    told = shell.ipam("apply", "-f", str(shell.folder / "site.yaml"), "--detailed-exitcode").stderr
    assert told == "nothing changed\n"
    shell.apply("prefixes: []", "--prune")
    (shell.folder / "site.yaml").write_text(many(30))
    rehearsed = shell.ipam("apply", "-f", str(shell.folder / "site.yaml"), "--dry-run")
    assert "the server checked the first 20; the others depend on them" in rehearsed.stderr
    assert len(rehearsed.stdout.splitlines()) == 31
    assert list(client.items("/prefixes")) == []


SPELT = """
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


def test_another_spelling_is_no_change(shell: Shell, client: Client) -> None:
    assert {line[0] for line in shell.apply(SPELT)} == {"+"}
    assert shell.apply(SPELT, "--prune", "--detailed-exitcode") == []
    assert next(client.items("/reservations", ip="10.40.1.22"))["client_id"] == "01:aa:bb"
    fewer = SPELT.replace("owner: net, ", "").replace(", unit: 3", "")
    assert shell.apply(fewer) == [
        '~ subnets 10.40.1.0/24: custom {"owner":"net","rack":{"row":7,"unit":3}} -> {"rack":{"row":7}}'
    ]
    assert shell.apply(fewer, "--detailed-exitcode") == []


def test_changes_in_json(shell: Shell) -> None:
    shell.apply("prefixes: [{cidr: 10.2.0.0/16}]")
    said = shell.apply("prefixes: [{cidr: 10.2.0.0/16, description: x}]", "--json")
    (told,) = map(json.loads, said)
    assert told == {
        "change": "update",
        "what": "prefixes 10.2.0.0/16",
        "family": "prefixes",
        "line": 1,
        "fields": {"description": {"old": "", "new": "x"}},
    }


def test_a_campus_in_one_file(shell: Shell, client: Client) -> None:
    """Two relays, six VLANs, 300 reservations, PXE and guests: made from nothing, exported, edited."""
    made = shell.apply(CAMPUS)
    assert {line[0] for line in made} == {"+"}
    assert sum(line.startswith("+ reservations") for line in made) == 300
    assert shell.apply(CAMPUS, "--prune", "--detailed-exitcode") == []
    exported = shell.export()
    assert shell.apply(exported, "--prune", "--detailed-exitcode") == []
    edited = CAMPUS.replace("ip: 10.20.3.17,", "ip: 10.20.3.77,").replace(
        "boot_file: ipxe.efi", "boot_file: snp.efi"
    )
    changes = [
        "~ client-classes uefi: boot_file ipxe.efi -> snp.efi",
        "~ reservations 02:00:00:00:03:11 in subnet 10.20.3.0/24: ip 10.20.3.17 -> 10.20.3.77",
    ]
    assert shell.apply(edited) == changes
    assert shell.apply(edited, "--detailed-exitcode") == []


def test_reservations_swap_their_addresses(shell: Shell, client: Client) -> None:
    """One gives its up first; a new one may take what another leaves too."""
    text = "prefixes: [{cidr: 10.7.0.0/16, subnets: [{cidr: 10.7.1.0/24, reservations: [%s]}]}]"

    def entries(**addresses: int) -> str:
        return text % ", ".join(
            f"{{mac: '02:00:00:00:07:0{number}', hostname: {name}, ip: 10.7.1.{octet}}}"
            for number, (name, octet) in enumerate(addresses.items())
        )

    shell.apply(entries(ann=11, bob=12))
    swapped = shell.apply(entries(ann=12, bob=11))
    assert sum("(makes room for another)" in line for line in swapped) == len(swapped) - 2 == 2
    assert shell.apply(entries(ann=12, bob=11), "--detailed-exitcode") == []
    shell.apply(entries(ann=20, bob=21, cam=12))
    rows = client.items("/reservations", within="10.7.1.0/24")
    assert {row["hostname"]: row["ip"] for row in rows} == {
        "ann": "10.7.1.20",
        "bob": "10.7.1.21",
        "cam": "10.7.1.12",
    }


async def lease(database: str, ip: str, mac: str) -> None:
    connection = await connect(database)
    hardware = bytes.fromhex(mac.replace(":", ""))
    await connection.execute(PUT, ip_address(ip), hardware, None)
    await connection.close()


def test_a_dry_run_says_who_would_suffer(shell: Shell, client: Client, module_database: str) -> None:
    text = "prefixes: [{cidr: 10.6.0.0/16, subnets: [{cidr: 10.6.1.0/24, pools: [{start_ip: 10.6.1.10, end_ip: %s}]}]}]"
    shell.apply(text % "10.6.1.99")
    asyncio.run(lease(module_database, "10.6.1.90", "02:00:00:00:00:90"))
    change = "~ pools 10.6.1.10-10.6.1.89 in subnet 10.6.1.0/24: end_ip 10.6.1.99 -> 10.6.1.89"
    said = shell.apply(text % "10.6.1.89", "--dry-run")
    assert said[:2] == [change, "! 1 active lease would be refused at its next renewal:"]
    assert re.fullmatch(r" +10\.6\.1\.90 02:00:00:00:00:90 until \S+ \S+ \S+ no pool .*", said[2])
    told = json.loads(shell.apply(text % "10.6.1.89", "--dry-run", "--json")[-1])
    assert told["impact"]["leases"]["count"] == 1
    assert shell.apply(text % "10.6.1.89") == [change]


def test_tables_contain_every_family_that_clients_write(shell: Shell, client: Client) -> None:
    """The families come from their table: a new one cannot be left out. Secrets are in no table."""
    shell.apply(SITE)
    told = shell.ipam("export", "--format", "csv", "-o", "tables").stderr
    assert "left out: secrets, tokens" in told
    tables = {path.stem: path.read_text() for path in (shell.folder / "tables").glob("*.csv")}
    written = {family.items.name for family in FAMILIES.values() if is_written(family)}
    assert set(tables) == written - {"tokens"}
    for name, text in tables.items():
        rows = [row for row in client.items(f"/{name}", **STATIC.get(name, {})) if not row.get("is_default")]
        assert len(list(csv.DictReader(io.StringIO(text)))) == len(rows), name
    assert "https://hooks.example.net/" in tables["webhooks"]
    assert not {"url", "topic"} & set(tables["notifications"].splitlines()[0].split(","))
    for secret in ("hooks.example.net/x", "T0/chat"):
        assert secret not in "".join(tables.values())
    assert "left out: url and topic of notifications" in told
    assert "c2VjcmV0" not in "".join(tables.values())
    assert "QUJD" not in "".join(tables.values())
    assert "dns-zones example.net,www" in tables["dns-records"]


CHATS = """
notifications: [{name: chat, kind: slack, url: "https://hooks.example.net/T0/k3y"}]
tenants: [{name: acme, notifications: [{name: theirs, kind: teams, url: {env: CHAT_URL}}]}]
webhooks: [{url: "https://hooks.example.net/T0/h00k", secret: {file: hook.key}}]
"""


def test_a_url_that_is_a_credential_is_in_no_export_and_stays(shell: Shell, client: Client) -> None:
    """An export without it, applied again, changes nothing; what others see of it is no change either."""
    shell.told["CHAT_URL"] = "https://chat.example.net/s3cr3t"
    assert not [line for line in shell.apply(CHATS) if "k3y" in line or "s3cr3t" in line]
    ran = shell.ipam("export")
    assert "k3y" not in ran.output
    assert "s3cr3t" not in ran.output
    assert "left out: url and topic of notifications" in ran.stderr
    assert "treat it like a password" in ran.stderr
    assert shell.apply(ran.stdout, "--prune", "--detailed-exitcode") == []
    (change,) = shell.apply(ran.stdout.replace("name: chat\n", "name: chat\n  severity: critical\n"))
    assert change == "~ notifications chat: severity info -> critical"
    urls = {each["name"]: each["url"] for each in client.items("/notifications")}
    assert urls == {"chat": "https://hooks.example.net/T0/k3y", "theirs": "https://chat.example.net/s3cr3t"}
    short = CHATS.replace("T0/k3y", "").replace("{env: CHAT_URL}", "https://chat.example.net/")
    assert [line for line in shell.apply(short, "--dry-run") if "notifications theirs" in line] == []
    assert [line for line in shell.apply(short, "--dry-run") if " url " in line] == []
    shell.apply(CHATS)
    moved = shell.apply(CHATS.replace("T0/k3y", "T0/n3w"), "--json")
    (told,) = [json.loads(line) for line in moved if json.loads(line)["change"] == "update"]
    assert told["fields"] == {
        "url": {"old": "https://hooks.example.net/", "new": "https://hooks.example.net/"}
    }
    assert next(client.items("/notifications", name="chat"))["url"].endswith("n3w")


HOOKS = """
webhooks:
  - {url: "%s", secret: {file: hook.key}, description: Inventory}
notifications:
  - {name: on call, kind: ntfy, url: "https://ntfy.example.net/"%s}
"""


def test_a_file_with_shortened_credentials_deletes_nothing(shell: Shell, client: Client) -> None:
    """As tables and exports of others than admins have them: the host of a webhook, and no topic."""
    whole = HOOKS % ("https://hooks.example.net/T0/h00k", ", topic: s3cr3t")
    assert not [line for line in shell.apply(whole) if "s3cr3t" in line or "h00k" in line]
    short = HOOKS % ("https://hooks.example.net/", "")
    assert shell.apply(short, "--prune", "--detailed-exitcode") == []
    (change,) = shell.apply(short.replace("Inventory", "Assets"), "--prune")
    assert change == "~ webhooks https://hooks.example.net/: description Inventory -> Assets"
    (hook,), (chat,) = client.items("/webhooks"), client.items("/notifications")
    assert (hook["url"], chat["topic"]) == ("https://hooks.example.net/T0/h00k", "s3cr3t")
    assert "s3cr3t" not in shell.export()
    (change,) = shell.apply(whole.replace("s3cr3t", "n3w").replace("Inventory", "Assets"))
    assert change == "~ notifications on call: topic (not shown) -> (not shown)"
    (fault,) = shell.fails("notifications: [{name: other, kind: ntfy, url: https://ntfy.example.net/}]")
    assert "other: topic: is required for the kind ntfy; exports leave it out" in fault


def test_a_host_of_several_webhooks_is_refused(shell: Shell, client: Client) -> None:
    two = HOOKS.replace(
        "notifications:", '  - {url: "https://hooks.example.net/2", secret: {file: hook.key}}\nnotifications:'
    )
    shell.apply(two % ("https://hooks.example.net/1", ", topic: t"))
    (fault,) = shell.fails(HOOKS % ("https://hooks.example.net/", ", topic: t"))
    assert fault == (
        "3: webhooks https://hooks.example.net/: url: is the host of several webhooks, as tables and non-admins see "
        "them: write the whole URL"
    )
    assert len(list(client.items("/webhooks"))) == 2
    new = HOOKS % ("https://hooks.example.net/1", ", topic: t")
    assert shell.apply(new.replace("hooks.example.net/1", "other.example.net/"))[-1].startswith("+ webhooks")


def test_a_notification_is_not_created_without_its_url(shell: Shell, client: Client) -> None:
    said = shell.fails("\nnotifications:\n  - {name: chat, kind: slack}\n  - {name: on call, kind: mail}\n")
    assert said == [
        "3: notifications chat: url: is required for the kind slack; exports leave it out, because it is a credential"
    ]
    shell.apply("notifications: [{name: chat, kind: mail, recipients: [noc@example.net]}]")
    (fault,) = shell.fails("notifications: [{name: chat, kind: ntfy, topic: dhcp}]")
    assert "url: is required for the kind ntfy" in fault
    shell.apply("notifications: [{name: chat, kind: ntfy, topic: dhcp, url: https://ntfy.example.net/}]")
    shell.apply("notifications: [{name: chat, kind: mail, recipients: [noc@example.net]}]")
    assert next(client.items("/notifications", name="chat"))["url"] is None


def test_an_export_of_others_than_admins_has_no_webhooks(shell: Shell, client: Client) -> None:
    """They see the host only, which names no webhook: applied by an admin, it would be another one."""
    shell.told["CHAT_URL"] = "https://chat.example.net/s3cr3t"
    shell.apply(CHATS)
    token = client.create("tokens", name="looking", role="viewer")
    whole, shell.told["IPAM_API_TOKEN"] = shell.told["IPAM_API_TOKEN"], token.token
    ran = shell.ipam("export")
    shell.told["IPAM_API_TOKEN"] = whole
    client.delete("tokens", token.id)
    assert "url:" not in ran.stdout
    assert "left out: webhooks, because only admins see all of their url" in ran.stderr
    assert shell.apply(ran.stdout, "--prune", "--detailed-exitcode") == []


WORDS = """
option_definitions: [{code: 224, name: door, kind: string}]
global_options: [{code: %s, payload: {addresses: [10.1.0.53]}}, {code: %s, payload: {string: front}}]
prefixes:
  - cidr: 10.7.0.0/16
    subnets: [{cidr: 10.7.1.0/24, lease_time_seconds: %s, options: [{code: %s, payload: {string: lab}}]}]
"""


def test_durations_and_names_of_options_are_numbers(shell: Shell) -> None:
    """As the command line takes them; the same plan in numbers changes nothing."""
    words = WORDS % ("domain-name-servers", "door", "1h30m", "domain-name")
    validator().validate(yaml.safe_load(words))
    shell.apply(words)
    assert shell.apply(WORDS % (6, 224, 5400, 15), "--prune", "--detailed-exitcode") == []
    faults = shell.fails(WORDS % ("domain-nam-servers", "door", "soon", "domain-name"))
    assert len(faults) == 2
    assert "code: there is no DHCPv4 option domain-nam-servers" in faults[0]
    assert "lease_time_seconds" in faults[1]
