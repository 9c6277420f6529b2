"""The outcome of a delivery, which a worker makes: waited for, and reported in a line."""

import time
from typing import Any

import click

from api.cli.cells import text
from api.cli.names import Names, item_path
from api.cli.tables import show_one
from api.client import Client
from ipam_core.model.families import FAMILIES
from ipam_core.printing import say

DELIVERIES = FAMILIES["deliveries"]
PAUSE = 0.5
"""Seconds between two looks at a delivery."""

Delivery = dict[str, Any]


def wait_option(seconds: float) -> click.Option:
    return click.Option(
        ["--wait"],
        type=click.FloatRange(0, 600),
        default=seconds,
        show_default=True,
        metavar="SECONDS",
        help="Wait this long for the outcome. 0: do not wait.",
    )


def show_outcome(names: Names, delivery: Delivery, wait: float, as_json: bool) -> None:
    """Wait for the first attempt and print its outcome. Exit with status 1 unless it was delivered, or nothing was
    waited for."""
    found = awaited(names.client, delivery, wait)
    is_missed = wait > 0 and found["state"] != "delivered"
    if as_json:
        show_one(found, as_json)
    if is_missed or not as_json:
        say(outcome(names, found), err=as_json)
    if is_missed:
        click.get_current_context().exit(1)


def awaited(client: Client, delivery: Delivery, wait: float) -> Delivery:
    """Return the delivery after its first attempt, or as it is when the time is over or no worker runs."""
    deadline = time.monotonic() + wait
    while delivery["state"] == "pending" and (left := deadline - time.monotonic()) > 0 and has_worker(client):
        time.sleep(min(PAUSE, left))
        delivery = client.request("GET", item_path(DELIVERIES, delivery["id"]))
    return delivery


def has_worker(client: Client) -> bool:
    return any(node["state"] in ("ready", "degraded") for node in client.items("/nodes", role="worker"))


def outcome(names: Names, delivery: Delivery) -> str:
    what = f"{delivery['event']} to {receiver(names, delivery)}"
    if delivery["state"] == "delivered":
        status = f"status {delivery['response_status']} " if delivery["response_status"] else ""
        return f"delivered {what}: {status}after {delivery['latency_ms']} ms"
    if delivery["state"] == "pending":
        follow = f"Follow it with: ipam deliveries show {delivery['id']}"
        return f"pending {what}. Does a worker run (ipam nodes)? {follow}"
    reason = delivery["last_error"] or f"status {delivery['response_status']}"
    again = f"; next attempt at {text(delivery['next_attempt_at'])}" if delivery["next_attempt_at"] else ""
    return f"not delivered {what}: {reason}{again}"


def receiver(names: Names, delivery: Delivery) -> str:
    family = next(each for each in DELIVERIES.parents if delivery.get(each.key))
    return names.label(family, delivery[family.key])
