"""deploy/compose.yaml: valid for Compose, and each container runs a command with settings that we understand."""

import subprocess
from pathlib import Path
from typing import Any

import pytest
import yaml
from deploy.environments import understood
from system import peers

FILE = Path(__file__).parents[2] / "deploy/compose.yaml"
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
