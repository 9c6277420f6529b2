"""values.schema.json refuses values that Kubernetes or ipam would refuse later."""

import json
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import jsonschema_rs
import pytest
import yaml

CHART = Path(__file__).parents[2] / "deploy/helm/ipam"
SCHEMA = json.loads((CHART / "values.schema.json").read_text())
FREE = {"annotations", "global"}
"""Values in which anything may be."""


def values(path: str, value: Any) -> dict[str, Any]:
    """The defaults of the chart with another value; null removes it, as in Helm."""
    found: dict[str, Any] = yaml.safe_load((CHART / "values.yaml").read_text())
    *above, last = path.split(".")
    place = found
    for name in above:
        place = place[name]
    if value is None:
        del place[last]
    else:
        place[last] = value
    return found


def faults(path: str, value: Any) -> list[str]:
    """The paths of the values that are refused."""
    errors = jsonschema_rs.Draft7Validator(SCHEMA).iter_errors(values(path, value))
    return [".".join(str(each) for each in error.instance_path) for error in errors]


def within(schema: Any, name: str = "") -> Iterator[tuple[str, dict[str, Any]]]:
    """Each schema that a value can be of, with the name of the value."""
    if isinstance(schema, list):
        for each in schema:
            yield from within(each, name)
    elif isinstance(schema, dict):
        if isinstance(schema.get("type"), str):
            yield name, schema
        for key, each in schema.items():
            if key != "propertyNames":
                yield from within(each, name if key in ("additionalProperties", "items", "anyOf") else key)


def test_no_value_takes_any_text_or_any_object() -> None:
    found = [(name, each) for name, each in within(SCHEMA) if name not in FREE]
    assert len(found) > 30
    for name, each in found:
        if each["type"] == "string":
            assert "pattern" in each, name
        if each["type"] == "object":
            assert "additionalProperties" in each, name
        if each["type"] == "array":
            assert "items" in each, name


def test_the_defaults_fit() -> None:
    assert faults("settings", {}) == []


@pytest.mark.parametrize(
    ("path", "value"),
    [
        ("image.repository", "ghcr.io/acme/net_tools/ipam"),
        ("image.repository", "localhost:5000/ipam"),
        ("image.repository", "ipam"),
        ("image.tag", "0.2.0.dev0-202611272030.g1a2b3c4d"),
        ("imagePullSecrets", [{"name": "registry"}]),
        ("api.ingress.host", "*.example.com"),
        ("api.ingress.className", "nginx-internal"),
        ("api.resources", {}),
        (
            "api.resources",
            {"requests": {"cpu": 1, "memory": "1.5Gi"}, "limits": {"cpu": "0.5", "memory": 134217728}},
        ),
        ("dhcp.resources", {"limits": {"hugepages-2Mi": "64Mi", "ephemeral-storage": "1G"}}),
        ("dhcp.listen4", "10.0.0.1:67, 10.0.1.1:67"),
        ("dhcp.listen6", "[2001:db8::1]:547,[fe80::1%eth0]:547"),
        ("dhcp.interfaces4", "eth1, vlan.20"),
        ("dhcp.nodeSelector", {"node-role.kubernetes.io/dhcp": ""}),
        ("dhcp.tolerations", [{"operator": "Exists", "effect": "NoExecute", "tolerationSeconds": 60}]),
        ("dns.service.annotations", {"example.com/pool": "any text: 1"}),
    ],
)
def test_good_values(path: str, value: Any) -> None:
    assert faults(path, value) == []


@pytest.mark.parametrize(
    ("path", "value"),
    [
        ("image.repository", ""),
        ("image.repository", "registry.example.com/ipam:1.0"),
        ("image.repository", "https://registry.example.com/ipam"),
        ("image.repository", "registry.example.com/IPAM"),
        ("image.repository", "registry.example.com/ipam "),
        ("image.tag", "v1 beta"),
        ("image.tag", "0.2.0+g1a2b3c4d"),
        ("image.digest", "sha256:00"),
        ("imagePullSecrets", ["registry"]),
        ("imagePullSecrets", [{"name": "Registry"}]),
        ("existingSecret", "ipam secret"),
        ("api.replicas", None),
        ("api.service.port", None),
        ("api.ingress", "ipam.example.com"),
        ("api.ingress.hosts", ["ipam.example.com"]),
        ("api.ingress.host", ""),
        ("api.ingress.host", "https://ipam.example.com"),
        ("api.ingress.host", "ipam.example.com:443"),
        ("api.ingress.host", "IPAM.example.com"),
        ("api.ingress.className", "my class"),
        ("api.ingress.tlsSecret", "tls/ipam"),
        ("api.ingress.enabled", "yes"),
        ("api.resources", {"cpu": "100m"}),
        ("api.resources", {"request": {"cpu": "100m"}}),
        ("worker.resources", {"requests": {"cpus": "100m"}}),
        ("worker.resources", {"requests": {"cpu": "100 m"}}),
        ("worker.resources", {"requests": {"cpu": -1}}),
        ("dns.resources", {"limits": {"memory": "128MB"}}),
        ("dns.resources", {"limits": {"memory": "100m"}}),
        ("dhcp.listen4", "67"),
        ("dhcp.listen4", "[::]:67"),
        ("dhcp.listen6", "::547"),
        ("dhcp.interfaces4", "eth1 eth2"),
        ("dhcp.interfaces4", "eth*"),
        ("dhcp.nodeSelector", {"role": True}),
        ("dhcp.nodeSelector", {"a/b/c": "x"}),
        ("dhcp.tolerations", [{"key": "dhcp", "operator": "exists"}]),
        ("dhcp.tolerations", [{"keys": "dhcp"}]),
        ("dns.service.annotations", {"example.com/pool": 1}),
        ("dns.service.port", 53),
    ],
)
def test_values_that_do_not_fit(path: str, value: Any) -> None:
    found = faults(path, value)
    assert found
    above = path.rpartition(".")[0]
    assert all(each.startswith(path) or each == above for each in found)
