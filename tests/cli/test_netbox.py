"""`ipam netbox`: as many requests as it takes, a table of what came of it, and an exit code."""

import json
import os
import subprocess
from pathlib import Path

from cli.serving import IPAM, serving
from rest.netbox_server import V2, Answer, NetBox


def test_import_and_export(database: str, tmp_path: Path) -> None:
    netbox = NetBox()
    for number in range(3):
        netbox.add(f"10.{number}.0.0/16", description=f"floor {number}")
    netbox.add("10.0.1.0/24")
    (tmp_path / "token").write_text(f"{V2}\n")
    with serving(database, tmp_path) as served, netbox.serving_in_thread():
        environment = os.environ | {"IPAM_API_URL": served.url, "IPAM_API_TOKEN": served.token}

        def ipam(
            *arguments: str, given: str | None = None, status: int = 0
        ) -> subprocess.CompletedProcess[str]:
            command = [*IPAM, "netbox", *arguments]
            ran = subprocess.run(
                command, env=environment, capture_output=True, text=True, check=False, input=given
            )
            assert ran.returncode == status, ran.stdout + ran.stderr
            assert V2 not in ran.stdout + ran.stderr
            return ran

        from_file = ("--netbox-token-file", str(tmp_path / "token"))
        dry = ipam("import", netbox.url, *from_file, "--dry-run", "limit=1")
        assert "3 to create, 1 skipped, 0 errors" in dry.stderr
        made = ipam("import", netbox.url, "--netbox-token-file", "-", "limit=2", "--json", given=V2)
        lines = [json.loads(line) for line in made.stdout.splitlines()]
        assert [each["cidr"] for each in lines if each["result"] == "created"] == [
            "10.0.0.0/16",
            "10.1.0.0/16",
            "10.2.0.0/16",
        ]
        assert len(netbox.asked("GET")) == 4 + 2
        netbox.prefixes.clear()
        exported = ipam("export", netbox.url, *from_file, "status=container")
        assert "floor 1" in exported.stdout
        assert {row["status"] for row in netbox.prefixes} == {"container"}
        listed = ipam("import", netbox.url, *from_file, "statuses=container,active", "--dry-run")
        assert "0 to create, 3 skipped, 0 errors" in listed.stderr
        wrong = ipam("import", netbox.url, *from_file, "levle=innermost", status=1)
        assert "did you mean level?" in wrong.stderr
        netbox.faults = {len(netbox.asked("GET")) + len(netbox.asked("POST")) + 2: Answer(404, "")}
        stopped = ipam("import", netbox.url, *from_file, "limit=1", status=1)
        assert "its status is container" in stopped.stdout
        assert "does not exist" in stopped.stderr
        assert "continue with cursor=" in stopped.stderr
    assert V2 not in (tmp_path / "api.log").read_text()
