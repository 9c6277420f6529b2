"""A site that has something to show on every screen: its plan by `ipam apply`, what servers write by SQL."""

import time
from pathlib import Path

import psycopg
from cli.serving import Served, ipam

from api.client import Client

PLAN = Path(__file__).with_name("site.yaml")
WRITTEN = Path(__file__).with_name("site.sql")
COUNTED_SECONDS = 60.0


def furnish(served: Served, dsn: str) -> None:
    ipam(served, "apply", "-f", str(PLAN), NS1_KEY="c2VjcmV0")
    with Client(served.url, served.token) as client:
        client.create("webhooks", url="https://hooks.example.net/ipam", events=["lease.*", "pool.exhausted"])
        client.create(
            "notifications", name="on call", kind="mail", recipients=["noc@example.net"], severity="critical"
        )
        for name, role in (("monitoring", "viewer"), ("help desk", "operator")):
            client.create("tokens", name=name, role=role)
        # A change, beside the objects that were made, for the audit trail.
        south = next(client.items("/prefixes", q="South"))
        client.update("prefixes", south["id"], description="South wing and workshop")
        with psycopg.connect(dsn, autocommit=True) as session:
            session.execute(WRITTEN.read_text())
        await_counted(client)


def await_counted(client: Client) -> None:
    """Until the service has counted the leases of the pools."""
    deadline = time.monotonic() + COUNTED_SECONDS
    while not client.request("GET", "/dashboard")["pools_near_full"]:
        assert time.monotonic() < deadline
        time.sleep(0.2)
