"""deploy/compose.yaml: valid for Compose, and each container runs a command with settings that we understand."""

import base64
import subprocess
import tomllib
from pathlib import Path
from typing import Any

import pytest
import yaml
from deploy.environments import understood
from documents.blocks import blocks_of
from system import peers

from ipam_core import settings
from ipam_core.secrets import KEY_OCTETS

ROOT = Path(__file__).parents[2]
FILE = ROOT / "deploy/compose.yaml"
PARTS = {"api", "dhcp", "dns", "worker"}


@pytest.fixture(scope="module")
def services() -> dict[str, dict[str, Any]]:
    found: dict[str, dict[str, Any]] = yaml.safe_load(FILE.read_text())["services"]
    return found


def test_each_container_is_understood(services: dict[str, dict[str, Any]]) -> None:
    assert services.keys() == PARTS | {"database", "migrate"}
    for name in PARTS | {"migrate"}:
        assert services[name]["command"][-1] == name
        understood(services[name]["command"], services[name].get("environment", {}))


def test_each_part_is_checked_at_an_address_of_its_own(services: dict[str, dict[str, Any]]) -> None:
    """They share the network of the host. What migrates runs once, and all others wait for it."""
    addresses = {services[name]["environment"]["IPAM_HEALTH_LISTEN"] for name in PARTS}
    assert len(addresses) == len(PARTS)
    for name in PARTS - {"dhcp"}:  # it opens no connection that a client chooses
        told = services[name]["environment"]["UNIT_HEALTH_PORTS"].split(",")
        assert sorted(told) == sorted(address.rpartition(":")[2] for address in addresses)
    assert all(services[name]["healthcheck"]["test"] == ["CMD", "healthcheck"] for name in PARTS)
    assert all("migrate" in services[name]["depends_on"] for name in PARTS)


def test_no_secret_is_in_the_file_or_in_an_environment(services: dict[str, dict[str, Any]]) -> None:
    told = yaml.safe_load(FILE.read_text())
    files = {each["file"] for each in told["secrets"].values()}
    assert files == {f"./secrets/{name}" for name in told["secrets"]}
    used = {name for service in services.values() for name in service["secrets"]}
    assert used == told["secrets"].keys()
    named = {name for service in services.values() for name in service.get("environment", {})}
    assert not {name for name in named if "PASSWORD" in name and not name.endswith("_FILE")}


def test_the_guide_creates_these_secrets(tmp_path: Path) -> None:
    """docs/how-to/containers.md, with its own commands."""
    page = (ROOT / "docs/how-to/containers.md").read_text()
    (block,) = (block.text for block in blocks_of(page) if block.kind == "sh" and block.mark is None)
    subprocess.run(["bash", "-euc", block], cwd=tmp_path, check=True)
    made = {path.name: path.read_text().strip() for path in (tmp_path / "secrets").iterdir()}
    assert made.keys() == yaml.safe_load(FILE.read_text())["secrets"].keys()
    assert f":{made['postgres-password']}@127.0.0.1:5432/" in tomllib.loads(made["ipam.toml"])["database_url"]
    assert len(base64.b64decode(made["secret.key"], validate=True)) == KEY_OCTETS
    assert settings.load(tmp_path / "secrets/ipam.toml").dhcp4_interfaces == ("eth1",)
    assert (tmp_path / "secrets").stat().st_mode & 0o777 == 0o700


@pytest.mark.peers
@pytest.mark.peer("check-jsonschema")
def test_it_fits_the_schema_of_compose(tmp_path: Path) -> None:
    assert check(FILE).returncode == 0, check(FILE).stdout
    wrong = tmp_path / "compose.yaml"
    wrong.write_text(FILE.read_text().replace("shm_size:", "shmsize:"))
    assert check(wrong).returncode == 1


def check(file: Path) -> subprocess.CompletedProcess[str]:
    program = peers.program("check-jsonschema")
    command = [program, "--builtin-schema", "vendor.compose-spec", file]
    rights = {"PYTHONPATH": str(program.parents[1]), "PATH": peers.SEARCH_PATH}
    return subprocess.run(command, env=rights, capture_output=True, text=True, check=False)
