"""The Ansible collection by Ansible itself against a served API: a playbook, twice, in check mode, and the inventory.

One play each, because an `ansible-playbook` that begins is as long as five of its tasks.
"""

import json
import os
import re
import shutil
import subprocess
import sys
from base64 import b64encode
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
import yaml
from cli.serving import Served, serving
from documents import blocks

from api.client import Client

pytestmark = pytest.mark.peers

COLLECTION = Path(__file__).parents[2] / "api" / "ansible"
BIN = Path(sys.executable).parent

PLAN: list[dict[str, Any]] = [
    {"ipam.ipam.tenant": {"name": "north", "description": "Beyond the river"}},
    {"ipam.ipam.client_class": {"name": "phones", "vendor_class": "phone"}},
    {"ipam.ipam.prefix": {"cidr": "10.70.0.0/16", "description": "Bremen"}},
    {"ipam.ipam.prefix": {"cidr": "10.70.0.0/16", "tenant": "north"}},
    {
        "ipam.ipam.subnet": {
            "prefix": "{{ prefix }}",
            "cidr": "10.70.1.0/24",
            "gateway": "10.70.1.1",
            "lease_time_seconds": 3600,
            "site": "Bremen",
            "vlan_id": 20,
            "tags": ["floor-2"],
        }
    },
    {
        "ipam.ipam.pool": {
            "subnet": "10.70.1.0/24",
            "name": "desks",
            "start_ip": "10.70.1.100",
            "end_ip": "10.70.1.199",
            "class": "phones",
        }
    },
    {"ipam.ipam.exclude": {"subnet": "10.70.1.0/24", "start_ip": "10.70.1.2", "end_ip": "10.70.1.9"}},
    {
        "ipam.ipam.reservation": {
            "subnet": "10.70.1.0/24",
            "mac": "02-00-00-00-00-4A",
            "hostname": "printer",
            "class": "phones",
            "custom": {"owner": "it", "rack": 7},
        }
    },
    {"ipam.ipam.option": {"subnet": "10.70.1.0/24", "code": 6, "payload": {"addresses": ["10.70.1.1"]}}},
    {"ipam.ipam.global_option": {"code": 42, "payload": {"addresses": ["10.70.1.1"]}}},
    {"ipam.ipam.option_definition": {"code": 200, "name": "site-id", "kind": "string"}},
    {"ipam.ipam.assignment": {"hostname": "nas", "ip": "10.70.1.30", "aliases": ["files"]}},
    {"ipam.ipam.trusted_relay": {"cidr": "10.70.1.1/32"}},
    {
        "ipam.ipam.dns_server": {
            "name": "ns1",
            "adapter": "bind_tsig",
            "address": "192.0.2.53",
            "key_name": "ipam",
            "key_algorithm": "hmac-sha256",
            "secret": "c2VjcmV0IG9mIHRoaXMgdGVzdCBhbG9uZSEhISEhISE=",
        }
    },
    {"ipam.ipam.dns_zone": {"name": "example.net", "dns_server": "ns1"}},
    {"ipam.ipam.dns_record": {"zone": "example.net", "name": "www", "type": "A", "data": "192.0.2.80"}},
    {"ipam.ipam.notification": {"name": "noc", "kind": "mail", "recipients": ["noc@example.net"]}},
    {"ipam.ipam.webhook": {"url": "https://hooks.example.net/ipam", "events": ["lease.*"]}},
    {"ipam.ipam.token": {"name": "reader", "role": "viewer"}},
]
CHANGE: list[dict[str, Any]] = [
    {
        "ipam.ipam.subnet": {
            "prefix": "10.70.0.0/16",
            "cidr": "10.70.1.0/24",
            "name": "offices",
            "clear": ["gateway"],
        }
    },
    {"ipam.ipam.pool": {"subnet": "10.70.1.0/24", "name": "desks", "end_ip": "10.70.1.210"}},
    {"ipam.ipam.exclude": {"subnet": "10.70.1.0/24", "start_ip": "10.70.1.2", "state": "absent"}},
    {"ipam.ipam.reservation": {"subnet": "10.70.1.0/24", "mac": "02:00:00:00:00:4b"}},
    {"ipam.ipam.reservation": {"subnet": "10.70.1.0/24", "mac": "02:00:00:00:00:4a", "custom": {"rack": 7}}},
    {"ipam.ipam.pool": {"subnet": "10.99.0.0/24", "name": "none", "state": "absent"}},
]


OVERLAPPING = {"subnet": "10.70.1.0/24", "start_ip": "10.70.1.150", "end_ip": "10.70.1.220"}
REFUSED: list[dict[str, Any]] = [
    {"ipam.ipam.pool": OVERLAPPING, "ignore_errors": True},
    {"ipam.ipam.pool": OVERLAPPING, "ignore_errors": True, "check_mode": True},
    {"ipam.ipam.pool": {"subnet": "10.99.0.0/24", "name": "none"}, "ignore_errors": True},
]


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Where Ansible works, with a copy of the collection as it is installed, beside which its bytecode is kept."""
    folder = tmp_path_factory.mktemp("ansible")
    place = folder / "ansible_collections" / "ipam"
    place.mkdir(parents=True)
    shutil.copytree(COLLECTION, place / "ipam")
    return folder


@pytest.fixture(scope="module")
def served(module_database: str, folder: Path) -> Iterator[Served]:
    with serving(module_database, folder) as running:
        yield running


def ansible(folder: Path, served: Served | None, *command: str, status: int = 0) -> str:
    """What the command says on stdout."""
    environment = os.environ | {
        "ANSIBLE_COLLECTIONS_PATH": str(folder),
        "ANSIBLE_HOME": str(folder / "home"),
        "ANSIBLE_LOCALHOST_WARNING": "false",
        "ANSIBLE_INVENTORY_UNPARSED_WARNING": "false",
        "ANSIBLE_NOCOLOR": "true",
        "ANSIBLE_PIPELINING": "true",
        "LC_ALL": "C.UTF-8",
    }
    if served is not None:
        environment |= {"IPAM_API_URL": served.url, "IPAM_API_TOKEN": served.token}
    program = BIN / command[0]
    ran = subprocess.run(
        [program, *command[1:]], cwd=folder, env=environment, capture_output=True, text=True, check=False
    )
    assert ran.returncode == status, ran.stdout + ran.stderr
    assert "[WARNING]" not in ran.stderr, ran.stderr
    return ran.stdout


def play(folder: Path, served: Served, tasks: list[dict[str, Any]], *options: str, status: int = 0) -> str:
    told = [task | {"register": f"r{number}"} for number, task in enumerate(tasks)]
    book = [
        {
            "hosts": "localhost",
            "gather_facts": False,
            "vars": {"prefix": "{{ r2.object.id }}", "ansible_python_interpreter": sys.executable},
            "tasks": told,
        }
    ]
    (folder / "play.yml").write_text(yaml.safe_dump(book))
    return ansible(folder, served, "ansible-playbook", "-c", "local", "play.yml", *options, status=status)


def everything(served: Served) -> dict[str, list[Any]]:
    with Client(served.url, served.token) as client:
        families = ("subnets", "pools", "excludes", "reservations", "options", "tokens", "dns-records")
        return {name: list(client.of(name).list()) for name in families}


def written(served: Served) -> dict[str, list[tuple[str, str]]]:
    """When each object was written last."""
    return {
        name: sorted((item.id, item.updated_at) for item in items)
        for name, items in everything(served).items()
        if name != "tokens"
    }


def test_a_plan_is_made_once_and_changed_as_told(folder: Path, served: Served) -> None:
    assert f"changed={len(PLAN)} " in play(folder, served, PLAN)
    made = written(served)
    assert everything(served)["reservations"][0].mac == "02:00:00:00:00:4a"
    assert "changed=0 " in play(folder, served, PLAN)
    assert written(served) == made

    shown = play(folder, served, CHANGE, "--check", "--diff")
    assert "changed=4 " in shown
    assert '-    "end_ip": "10.70.1.199"' in shown
    assert '+    "end_ip": "10.70.1.210"' in shown
    assert written(served) == made

    assert "changed=4 " in play(folder, served, CHANGE)
    now = everything(served)
    assert (now["subnets"][0].name, now["subnets"][0].gateway) == ("offices", None)
    assert now["pools"][0].end_ip == "10.70.1.210"
    assert now["excludes"] == []
    assert len(now["reservations"]) == 2
    assert "changed=0 " in play(folder, served, CHANGE)

    said = play(folder, served, REFUSED)
    assert said.count("(409 conflict, request") == 2 * 2  # as an error, and in what the task answers
    assert "subnet whose cidr is '10.99.0.0/24': there is none" in said

    # What is absent already, what takes others along, and what is read.
    gone = [
        {"ipam.ipam.info": {"family": "pools", "filters": {"subnet_id": now["subnets"][0].id}}},
        {"ansible.builtin.assert": {"that": ["r0['items'][0].name == 'desks'"]}},
        {
            "ipam.ipam.prefix": {
                "cidr": "10.70.0.0/16",
                "tenant": "default",
                "state": "absent",
                "cascade": True,
            }
        },
        {"ipam.ipam.prefix": {"cidr": "10.70.0.0/16", "tenant": "default", "state": "absent"}},
    ]
    inventory(folder, served)
    assert "changed=1 " in play(folder, served, gone)
    assert everything(served)["subnets"] == []


def plain(value: Any) -> Any:
    """Without Ansible's mark of what came from outside."""
    if isinstance(value, list):
        return [plain(each) for each in value]
    if not isinstance(value, dict):
        return value
    return value.get("__ansible_unsafe") or {name: plain(each) for name, each in value.items()}


def inventory(folder: Path, served: Served) -> None:
    """Of the plan as it then is."""
    told = {
        "plugin": "ipam.ipam.ipam",
        "sources": ["reservations", "assignments", "leases"],
        "keyed_groups": [{"key": "ipam_source", "prefix": "from"}],
        "compose": {"ansible_user": "'admin'"},
    }
    (folder / "site.ipam.yml").write_text(yaml.safe_dump(told))
    listed = plain(json.loads(ansible(folder, served, "ansible-inventory", "-i", "site.ipam.yml", "--list")))
    known = listed["_meta"]["hostvars"]
    printer = known["printer"]
    assert printer["ansible_host"] == printer["ipam_ip"]
    assert (printer["ipam_mac"], printer["ipam_subnet"]) == ("02:00:00:00:00:4a", "10.70.1.0/24")
    assert (printer["ipam_class"], printer["ansible_user"]) == ("phones", "admin")
    assert (printer["ipam_vlan_id"], printer["ipam_tags"]) == (20, ["floor-2"])
    assert printer["ipam_custom"] == {"owner": "it", "rack": 7}
    for group in ("site_Bremen", "tag_floor_2", "subnet_10_70_1_0_24"):
        assert set(listed[group]["hosts"]) == set(known)
    assert "printer" in listed["vlan_20"]["hosts"]
    assert printer["ipam_vlan"] == "20"
    assert (known["nas"]["ansible_host"], known["nas"]["ipam_aliases"]) == ("10.70.1.30", ["files"])
    assert "ipam_aliases" not in printer
    assert len(known) == 3
    assert listed["class_phones"]["hosts"] == ["printer"]
    assert listed["from_assignments"]["hosts"] == ["nas"]


def test_every_module_has_its_page(folder: Path) -> None:
    names = sorted(f"ipam.ipam.{path.stem}" for path in (COLLECTION / "plugins/modules").glob("*.py"))
    pages = json.loads(ansible(folder, None, "ansible-doc", "--json", *names))
    assert sorted(pages) == names
    for page in pages.values():
        assert page["doc"]["options"]["api_url"]["required"]
        assert page["examples"].strip()
        assert page["return"]
    assert json.loads(ansible(folder, None, "ansible-doc", "-t", "inventory", "--json", "ipam.ipam.ipam"))


# --- the examples that people copy

SECRET = b64encode(bytes(32)).decode()
PARENTS = ("prefix", "subnet", "dns_zone")
MODULES = sorted((COLLECTION / "plugins/modules").glob("*.py"))
README = COLLECTION / "README.md"


def test_the_readme_runs_as_it_is_written(folder: Path, served: Served) -> None:
    """Its play, twice, and its inventory; then an inventory that is grouped by VLAN, as its text says."""
    play_of, inventory_of = [block for block in blocks.blocks_of(README.read_text()) if block.kind == "yaml"]
    (folder / "readme.yml").write_text(play_of.text)
    playing = (
        "ansible-playbook",
        "-c",
        "local",
        "readme.yml",
        "-e",
        f"ansible_python_interpreter={sys.executable}",
    )
    assert "changed=4 " in ansible(folder, served, *playing)
    assert "changed=0 " in ansible(folder, served, *playing)
    (folder / inventory_of.told).write_text(inventory_of.text)
    graph = ansible(folder, served, "ansible-inventory", "-i", inventory_of.told, "--graph")
    for group in ("subnet_10_80_1_0_24", "vlan_20", "from_reservations"):
        assert group in graph
    by_vlan = yaml.safe_load(inventory_of.text) | {"keyed_groups": [{"key": "ipam_vlan", "prefix": "net"}]}
    (folder / inventory_of.told).write_text(yaml.safe_dump(by_vlan))
    assert "net_20" in ansible(folder, served, "ansible-inventory", "-i", inventory_of.told, "--graph")


def test_the_examples_of_every_module_run(folder: Path, database: str, tmp_path: Path) -> None:
    """Together they make a plan and take it away again: parents first, and last. Other tests have objects of the same
    names."""
    examples = {module.stem: yaml.safe_load(examples_of(module)) for module in MODULES}
    order = [*PARENTS, *sorted(examples.keys() - set(PARENTS))]
    made = [examples[name][0] for name in order]
    gone = [task for name in reversed(order) for task in examples[name][1:]]
    assert len(gone) == len(made) - 1, "info alone has nothing to take away"
    with serving(database, tmp_path) as served:
        played = play(folder, served, [*made, *gone], "-e", f"vault_tsig_secret={SECRET}")
    assert f"changed={2 * len(gone)} " in played
    assert "failed=0 " in played


def test_the_example_of_the_inventory_runs(folder: Path, served: Served) -> None:
    told = yaml.safe_load(examples_of(COLLECTION / "plugins/inventory/ipam.py")) | {"api_url": served.url}
    (folder / "example.ipam.yml").write_text(yaml.safe_dump(told))
    assert "@all" in ansible(folder, served, "ansible-inventory", "-i", "example.ipam.yml", "--graph")


def examples_of(plugin: Path) -> str:
    (found,) = re.findall(r'^EXAMPLES = r"""(.*?)"""', plugin.read_text(), re.MULTILINE | re.DOTALL)
    return str(found)
