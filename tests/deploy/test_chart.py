"""The Helm chart: rendered by Helm itself and valid for Kubernetes. Each container runs a command with settings that we
understand."""

import json
import re
import subprocess
import sys
import tomllib
from pathlib import Path
from typing import Any

import pytest
import yaml
from deploy.environments import FOUND_ELSEWHERE, understood
from documents.blocks import blocks_of
from system import peers

ROOT = Path(__file__).parents[2]
CHART = ROOT / "deploy/helm/ipam"
RENDER = """
import json, sys
import helm_python as helm
chart, values = sys.argv[1], json.loads(sys.argv[2])
faults = helm.lint(chart)["errors"]
rendered = helm.Chart.load(chart).render(values, name="demo", namespace="prod")
print(json.dumps({"faults": faults, "files": rendered}))
"""
EVERYTHING = {
    "imagePullSecrets": [{"name": "registry"}],
    "settings": {"log_level": "debug", "managed_address_limit": 0, "lease_device_details": False},
    "api": {"ingress": {"enabled": True, "className": "nginx", "tlsSecret": "tls"}},
    "dhcp": {
        "interfaces4": "eth1,eth2",
        "listen6": "[::]:547",
        "nodeSelector": {"role": "dhcp"},
        "tolerations": [{"key": "dhcp", "operator": "Exists"}],
    },
    "dns": {"service": {"annotations": {"example.com/pool": "dns"}}},
}
VALUES = {
    "defaults": {},
    "everything": EVERYTHING,
    "least": {"dhcp": {"enabled": False}, "dns": {"enabled": False}},
}
OLDEST, NEWEST = "1.27", "1.37"
"""Schemas of Kubernetes."""


def test_its_version_is_ours() -> None:
    """In SemVer's notation, without the commit, which `make release` adds."""
    chart = yaml.safe_load((CHART / "Chart.yaml").read_text())
    ours = tomllib.loads((ROOT / "pyproject.toml").read_text())["project"]["version"]
    assert chart["appVersion"] == ours
    assert chart["version"] == re.sub(r"\.dev(\d+)", r"-0.dev.\1", ours)


def render(values: dict[str, Any]) -> subprocess.CompletedProcess[str]:
    folder = peers.program("kubernetes-validate").parents[1]
    command = [sys.executable, "-P", "-c", RENDER, CHART, json.dumps(values)]
    rights = {"PYTHONPATH": str(folder), "PATH": peers.SEARCH_PATH}
    return subprocess.run(command, env=rights, capture_output=True, text=True, check=False)


def manifests(values: dict[str, Any]) -> str:
    done = render(values)
    assert done.returncode == 0, done.stderr
    told = json.loads(done.stdout)
    assert not told["faults"]
    return "\n---\n".join(text for name, text in told["files"].items() if name.endswith(".yaml"))


@pytest.mark.peers
@pytest.mark.peer("kubernetes-validate")
@pytest.mark.parametrize("values", VALUES.values(), ids=VALUES.keys())
def test_what_it_renders_is_valid_and_understood(values: dict[str, Any], tmp_path: Path) -> None:
    text = manifests(values)
    versions = (OLDEST, NEWEST) if values is EVERYTHING else (NEWEST,)
    validate(text, tmp_path / "rendered.yaml", *versions)
    objects = [each for each in yaml.safe_load_all(text) if each]
    names = [(each["kind"], each["metadata"]["name"]) for each in objects]
    assert len(names) == len(set(names))
    templates = [each["spec"]["template"]["spec"] for each in objects if "template" in each["spec"]]
    for container in (one for template in templates for one in template["containers"]):
        told = {
            each["name"]: each.get("value") or FOUND_ELSEWHERE.get(each["name"], "")
            for each in container["env"]
        }
        understood(container["args"], told)


def validate(text: str, file: Path, *versions: str) -> None:
    file.write_text(text)
    program = peers.program("kubernetes-validate")
    rights = {"PYTHONPATH": str(program.parents[1]), "PATH": peers.SEARCH_PATH}
    for version in versions:
        command = [sys.executable, program, "-k", version, "--strict", file]
        done = subprocess.run(command, env=rights, capture_output=True, text=True, check=False)
        assert done.returncode == 0, done.stdout + done.stderr


@pytest.mark.peers
@pytest.mark.peer("kubernetes-validate")
def test_the_values_of_the_guide_fit(tmp_path: Path) -> None:
    """Those in docs/how-to/kubernetes.md."""
    page = (ROOT / "docs/how-to/kubernetes.md").read_text()
    (block,) = (block.text for block in blocks_of(page) if block.kind == "yaml")
    text = manifests(yaml.safe_load(block))
    validate(text, tmp_path / "rendered.yaml", NEWEST)
    assert 'host: "ipam.example.com"' in text


@pytest.mark.peers
@pytest.mark.peer("kubernetes-validate")
@pytest.mark.parametrize(
    "values",
    [
        {"replica": 3},
        {"api": {"replicas": "two"}},
        {"settings": {"dhcp4_listen": "0.0.0.0:67"}},
        {"existingSecret": ""},
        {"dns": {"service": {"type": "None"}}},
        {"api": {"ingress": {"host": "https://ipam.example.com/"}}},
    ],
)
def test_values_that_do_not_fit_are_refused(values: dict[str, Any]) -> None:
    done = render(values)
    assert done.returncode == 1
    assert "values don't meet the specifications" in done.stderr
