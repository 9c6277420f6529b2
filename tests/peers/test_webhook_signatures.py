"""What we sign is good by the library `standardwebhooks` of npm, in Node."""

import json
import subprocess
from pathlib import Path

import httpx
import pytest
from peers.npm import fetched
from workers.receiver import SECRET, Got, Receiver
from workers.site import Site

pytestmark = pytest.mark.peers

PACKAGE = "standardwebhooks@1"
VERIFY = """
const { Webhook } = require("standardwebhooks");
const { secret, body, headers } = JSON.parse(require("fs").readFileSync(0, "utf8"));
console.log(JSON.stringify(new Webhook(secret).verify(body, headers)));
"""


@pytest.fixture(scope="module")
def library() -> Path:
    return fetched(PACKAGE)


def verified(library: Path, got: Got, secret: str) -> subprocess.CompletedProcess[bytes]:
    told = {"secret": secret, "body": got.body.decode(), "headers": got.headers}
    return subprocess.run(
        ["node", "-e", VERIFY],
        cwd=library,
        input=json.dumps(told).encode(),
        capture_output=True,
        timeout=60,
        check=False,
    )


async def test_signatures(library: Path, admin: httpx.AsyncClient, site: Site) -> None:
    """Of names in any script; by either secret while one makes way for the other; and what was altered is found out."""
    async with Receiver().serving() as receiver:
        made = await admin.post("/webhooks", json={"url": receiver.url, "secret": SECRET})
        assert made.status_code == 201
        fresh = (await admin.post(f"/webhooks/{made.json()['id']}/rotate")).json()["secret"]
        await site.webhook_events.step()
        await admin.post("/tenants", json={"name": "Zürich 東京"})
        await site.deliver()
    got = next(each for each in receiver.got if each.message["type"] == "tenant.created")
    for secret in (SECRET, fresh):
        answer = verified(library, got, secret)
        assert answer.returncode == 0, answer.stderr
        assert json.loads(answer.stdout)["data"]["after"]["name"] == "Zürich 東京"
    altered = got._replace(body=got.body.replace(b"created", b"deleted"))
    for wrong, secret in ((altered, SECRET), (got, "whsec_" + "QUFB" * 8)):
        answer = verified(library, wrong, secret)
        assert answer.returncode != 0
        assert b"No matching signature found" in answer.stderr
