"""Log of unusual decisions, one line per kind and interval, however often it happened (engine rule 3).

Each line gives the decision, a client, and the count since the start.
"""

from collections.abc import Mapping
from ipaddress import IPv4Address, IPv6Address, summarize_address_range
from typing import Any

import structlog

from dhcp_fast.engine.engine import Engine
from dhcp_fast.engine.notices import drop_samples, notice_samples
from ipam_core.dhcp import reasons

log = structlog.get_logger()


def write(engine: Engine) -> None:
    """Write what was sampled since the last time."""
    for sample in drop_samples(engine):
        meaning = reasons.of_drop(sample["kind"], engine.family)
        log.warning("packet dropped", reason=sample["kind"], meaning=meaning, **facts(engine, sample))
    for sample in notice_samples(engine):
        log.warning(reasons.of_notice(sample["kind"]), kind=sample["kind"], **facts(engine, sample))


def facts(engine: Engine, sample: Mapping[str, Any]) -> dict[str, Any]:
    """Return the facts of the client; unknown ones are null."""
    if engine.family == 6:
        return {
            "total": sample["total"],
            "duid": sample["duid"].hex() or None,
            "subnet": subnet_text(engine, sample["subnet_no"]),
            "peer": str(IPv6Address(sample["peer6"])),
        }
    addresses = {"address": sample["address"], "relay": sample["giaddr"], "peer": sample["peer"]}
    return {
        "total": sample["total"],
        "mac": sample["chaddr"].hex(":"),
        "subnet": subnet_text(engine, sample["subnet_no"]),
        **{name: str(IPv4Address(number)) if number else None for name, number in addresses.items()},
    }


def subnet_text(engine: Engine, no: int) -> str | None:
    """Return a subnet that the engine serves, as a CIDR."""
    view = engine.plan.subnets.get(no)
    if view is None:
        return None
    _, first, last = view.span
    if engine.family == 6:
        return str(next(summarize_address_range(IPv6Address(first), IPv6Address(last))))
    return str(next(summarize_address_range(IPv4Address(first), IPv4Address(last))))
