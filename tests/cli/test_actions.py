"""What can be done with an object beside the four verbs, each named as people call it."""

import json

import psycopg
from cli.serving import Served, ipam

NODE = """
insert into node (id, name, role, version, state) values (gen_random_uuid(), 'dhcp-a', 'dhcp', '0.1.0', 'ready')
"""
UPDATE = """
insert into ddns_update (id, tenant_no, action, fqdn, ip, state, attempts, last_error)
select gen_random_uuid(), no, 'add', 'ann.example', '10.0.0.9', 'failed', 9, 'refused' from tenant where is_default
"""
SERVER = (
    "adapter=bind_tsig",
    "address=192.0.2.53",
    "key_name=k",
    "key_algorithm=hmac-sha256",
    "secret=c2VjcmV0c2VjcmV0",
)


def test_a_node_is_drained_and_an_update_tried_again(served: Served, module_database: str) -> None:
    with psycopg.connect(module_database, autocommit=True) as connection:
        connection.execute(NODE)
        connection.execute(UPDATE)
    assert "last ready node" in ipam(served, "nodes", "drain", "dhcp-a", status=1).stderr
    drained = json.loads(ipam(served, "nodes", "drain", "dhcp-a", "--force", "--json").stdout)
    assert (drained["name"], drained["state"]) == ("dhcp-a", "draining")
    assert json.loads(ipam(served, "nodes", "undrain", "dhcp-a", "--json").stdout)["state"] == "starting"
    assert "no node dhcp-b" in ipam(served, "nodes", "drain", "dhcp-b", status=1).stderr
    tried = json.loads(ipam(served, "ddns-updates", "retry", "ann.example", "--json").stdout)
    assert (tried["fqdn"], tried["state"]) == ("ann.example", "pending")


def test_secrets_are_rotated_and_shown_once(served: Served) -> None:
    ipam(served, "create", "tokens", "name=robot", "role=viewer")
    token = json.loads(ipam(served, "tokens", "rotate", "robot", "--json").stdout)["token"]
    assert ipam(served, "subnets", IPAM_API_TOKEN=token).stdout is not None
    url = "https://hooks.example/ipam"
    ipam(served, "create", "webhooks", f"url={url}", "events=lease.granted")
    assert json.loads(ipam(served, "webhooks", "rotate", url, "--json").stdout)["secret"].startswith("whsec_")


def test_a_webhook_is_tried_and_its_deliveries_sent_again(served: Served, module_database: str) -> None:
    url = "https://hooks.example/tried"
    ipam(served, "create", "webhooks", f"url={url}", "events=lease.granted")
    tested = ipam(served, "webhooks", "test", url, "--json", status=1)
    assert "pending webhook.ping" in tested.stderr
    assert "Does a worker run (ipam nodes)?" in tested.stderr
    sent = json.loads(tested.stdout)
    assert sent["event"] == "webhook.ping"
    assert sent["id"] in ipam(served, "webhooks", "deliveries", url, "--wide").stdout
    assert "is pending" in ipam(served, "webhooks", "redeliver", sent["id"], status=1).stderr
    with psycopg.connect(module_database, autocommit=True) as connection:
        connection.execute("update webhook_delivery set state = 'dead'")
    dead = ipam(served, "deliveries", "list", "--webhook", url, "--state", "dead", "--wide").stdout
    assert sent["id"] in dead
    again = json.loads(ipam(served, "webhooks", "redeliver", sent["id"], "--json").stdout)
    assert again["state"] == "pending"
    assert "is pending" in ipam(served, "deliveries", "redeliver", sent["id"], status=1).stderr
    assert sent["id"] not in ipam(served, "deliveries", "--state", "dead", "--wide").stdout


def test_a_client_is_told_to_renew_only_by_words_that_there_are(served: Served) -> None:
    assert "no lease" in ipam(served, "leases", "reconfigure", "2001:db8::1", status=1).stderr
    wrong = ipam(served, "leases", "reconfigure", "2001:db8::1", "--message", "stop", status=2).stderr
    assert "'renew', 'rebind', 'information_request'" in wrong


def test_lists_of_names(served: Served) -> None:
    """A field that holds several ids takes names with commas, and a name that is none is told by the field's name."""
    for name in ("ns1", "ns2"):
        ipam(served, "create", "dns-servers", f"name={name}", *SERVER)
    made = ipam(served, "create", "dns-zones", "name=lan.example", "secondaries=ns1,ns2", "--json")
    assert len(json.loads(made.stdout)["secondary_ids"]) == 2
    wrong = ipam(served, "update", "dns-zones", "lan.example", "secondaries=ns1,ns3", status=1).stderr
    assert "secondaries: There is no DNS server ns3" in wrong
    ipam(served, "update", "dns-zones", "lan.example", "secondaries=")
    assert (
        json.loads(ipam(served, "dns-zones", "show", "lan.example", "--json").stdout)["secondary_ids"] == []
    )
    assert "secondaries" in ipam(served, "create", "dns-zones", "--help").stdout


def test_what_is_needed_is_named_as_it_is_written(served: Served) -> None:
    told = ipam(served, "create", "subnets", "name=office", status=1).stderr
    assert "prefix: is required" in told
    assert "prefix_id" not in told


def test_a_zone_is_checked(served: Served) -> None:
    ipam(served, "create", "dns-zones", "name=checked.test")
    ipam(served, "create", "dns-records", "zone=checked.test", "name=@", "type=MX", "data=10 nowhere")
    found = json.loads(ipam(served, "dns-zones", "check", "checked.test", "--json", status=1).stdout)
    assert {each["code"] for each in found["findings"]} == {
        "no_servers",
        "target_no_address",
        "target_absent",
    }
    shown = ipam(served, "dns-zones", "check", "checked.test", status=1).stdout
    assert "nowhere.checked.test does not exist in the zone" in shown
    ipam(served, "create", "dns-records", "zone=checked.test", "name=@", "type=A", "data=192.0.2.1")
    assert "target_absent" in ipam(served, "dns-zones", "check", "checked.test", "--json").stdout


def test_secondaries_of_a_zone_are_listed(served: Served) -> None:
    made = json.loads(ipam(served, "create", "dns-servers", "name=second", *SERVER, "--json").stdout)
    ipam(served, "create", "dns-zones", "name=second.test", f'secondary_ids=["{made["id"]}"]')
    found = json.loads(ipam(served, "dns-zones", "secondaries", "second.test", "--json").stdout)
    assert (found["name"], found["state"], found["serials_behind"]) == ("second", "not_served", None)
    assert "second" in ipam(served, "dns-zones", "secondaries", "second.test").stdout
