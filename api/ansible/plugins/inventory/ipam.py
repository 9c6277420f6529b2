"""Hosts out of the address plan: what is reserved, assigned or leased."""

from __future__ import annotations

DOCUMENTATION = r"""
name: ipam
short_description: Hosts of an ipam server
description:
- Each reservation, assignment and active lease that has an address is a host, called by its host name, else by its
  address. Where several have one address, the first of O(sources) has it; where several have one name, those after the
  first are called by their addresses.
- The file's name ends in C(ipam.yml) or C(ipam.yaml).
- Each host has the variables C(ansible_host) and C(ipam_source), the family of its object.
- Variables of the host, if known, are C(ipam_ip), C(ipam_mac), C(ipam_duid), C(ipam_hostname), C(ipam_aliases),
  C(ipam_id), C(ipam_class), C(ipam_custom) and C(ipam_expires_at). Only active leases are hosts, so
  C(ipam_expires_at) is when such a lease expires unless its client renews it.
- Variables of its subnet are C(ipam_subnet) (the CIDR), C(ipam_subnet_name), C(ipam_gateway) and C(ipam_site).
- C(ipam_vlan_id) is the VLAN as a number, and C(ipam_vlan) the same as text, which C(keyed_groups) needs.
- C(ipam_tags) contains the tags of the host and of its subnet.
author: The ipam project (@ipam)
options:
  plugin:
    description: Marks the file as one of this plug-in.
    required: true
    choices: [ipam.ipam.ipam]
  api_url:
    env:
    - name: IPAM_API_URL
  api_token:
    env:
    - name: IPAM_API_TOKEN
  api_ca:
    env:
    - name: IPAM_API_CA
  sources:
    description: Which families hosts come from.
    type: list
    elements: str
    choices: [reservations, assignments, leases]
    default: [reservations, assignments, leases]
  filters:
    description: Filters of their lists that all of O(sources) know, such as C(within) or C(subnet_id).
    type: dict
    default: {}
  group_by:
    description: Facts by which hosts are grouped, as C(subnet_10_1_2_0_24), C(site_berlin), C(vlan_20),
      C(tag_printers) and C(class_phones).
    type: list
    elements: str
    choices: [subnet, site, vlan, tag, class]
    default: [subnet, site, vlan, tag, class]
extends_documentation_fragment:
- ipam.ipam.connection
- constructed
"""

EXAMPLES = r"""
plugin: ipam.ipam.ipam
api_url: https://ipam.example.net/api/v1
sources: [reservations, assignments]
filters:
  within: 192.0.2.0/24
keyed_groups:
- key: ipam_source
  prefix: from
compose:
  ansible_user: "'admin'"
"""

from ansible.errors import AnsibleParserError  # noqa: E402 - below its document
from ansible.plugins.inventory import BaseInventoryPlugin, Constructable  # noqa: E402 - below its document
from ansible_collections.ipam.ipam.plugins.module_utils.api import Api, ApiError  # noqa: E402 - below its document

# Fields of the host's object and of its subnet that become variables. Fields of the host have precedence.
OF_HOSTS = ("id", "ip", "mac", "duid", "hostname", "aliases", "site", "vlan_id", "custom", "expires_at")
OF_SUBNETS = {
    "cidr": "subnet",
    "name": "subnet_name",
    "gateway": "gateway",
    "site": "site",
    "vlan_id": "vlan_id",
}
ALIVE = {"leases": {"state": "active"}}


class InventoryModule(BaseInventoryPlugin, Constructable):
    NAME = "ipam.ipam.ipam"

    def verify_file(self, path):
        return super().verify_file(path) and path.endswith(("ipam.yml", "ipam.yaml"))

    def parse(self, inventory, loader, path, cache=True):
        super().parse(inventory, loader, path, cache)
        self._read_config_data(path)
        api = Api(*(self.get_option(name) for name in ("api_url", "api_token", "api_ca")))
        try:
            for host in self.hosts(api):
                self.add(host)
        except ApiError as error:
            raise AnsibleParserError(str(error)) from None

    def hosts(self, api):
        """Yield the variables of each host, by the first source that has its address."""
        subnets = {each["id"]: each for each in api.items("/subnets")}
        classes = {each["id"]: each["name"] for each in api.items("/client-classes")}
        seen = set()
        for source in self.get_option("sources"):
            for item in api.items("/" + source, **dict(self.get_option("filters"), **ALIVE.get(source, {}))):
                place = (subnets.get(item["subnet_id"]) or {}).get("tenant_id"), item["ip"]
                if item["ip"] is None or place in seen:
                    continue
                seen.add(place)
                told = dict(facts(item, subnets.get(item["subnet_id"]) or {}), source=source)
                told["class"] = classes.get(item.get("class_id"))
                yield {name: value for name, value in told.items() if value not in (None, "", [], {})}

    def add(self, host):
        name = host.get("hostname") or host["ip"]
        if name in self.inventory.hosts:
            name = host["ip"]
        self.inventory.add_host(name)
        self.inventory.set_variable(name, "ansible_host", host["ip"])
        for variable, value in host.items():
            self.inventory.set_variable(name, f"ipam_{variable}", value)
        for group in self.groups_of(host):
            self.inventory.add_child(self.inventory.add_group(self._sanitize_group_name(group)), name)
        variables = self.inventory.get_host(name).get_vars()
        strict = self.get_option("strict")
        self._set_composite_vars(self.get_option("compose"), variables, name, strict)
        self._add_host_to_composed_groups(self.get_option("groups"), variables, name, strict)
        self._add_host_to_keyed_groups(self.get_option("keyed_groups"), variables, name, strict)

    def groups_of(self, host):
        wanted = self.get_option("group_by")
        single = [(kind, host[kind]) for kind in ("subnet", "site", "vlan", "class") if kind in host]
        tags = [("tag", tag) for tag in host.get("tags", ())]
        return [f"{kind}_{value}" for kind, value in single + tags if kind in wanted]


def facts(item, subnet):
    """Return the facts of a host, from its own object and from its subnet's."""
    told = {variable: subnet.get(name) for name, variable in OF_SUBNETS.items()}
    told.update({name: item[name] for name in OF_HOSTS if item.get(name) is not None})
    told["vlan"] = str(told["vlan_id"]) if told["vlan_id"] is not None else None
    told["tags"] = sorted({*item.get("tags", ()), *subnet.get("tags", ())})
    return told
