"""The steps of a cutover in their order, with what this plan says of them (specification, recommended cutover)."""

import shlex
from collections.abc import Iterator

from api.cli.importing.rehearsal import Rehearsal
from api.importers.plan import Plan


def steps(plan: Plan, file: str, rehearsal: Rehearsal | None) -> list[str]:
    command = f"ipam import {shlex.quote(file)}"
    pinned = sum(1 for each in plan.objects if each.file)
    return [
        *prepared(plan, command, rehearsal),
        *made(command),
        *cut_over(command, pinned),
        *afterwards(command, pinned),
    ]


def prepared(plan: Plan, command: str, rehearsal: Rehearsal | None) -> Iterator[str]:
    by_hand = sum(1 for each in plan.warnings if each.reason == "manual")
    if by_hand:
        yield f"Do the manual steps: {by_hand} of the warnings above."
    if rehearsal is None:
        yield (
            f"Rehearse the plan with a capture of the old server's traffic: `{command} --plan plan.json`, "
            "`ipam replay capture.pcap --plan plan.json`."
        )
    elif count := rehearsal.suffering():
        yield f"Decide about the {count} clients that would get something else or nothing."
    yield (
        "Shorten the lease time at the old server, at least one lease time before the cutover. Clients whose renewal "
        "is refused then get a new lease soon."
    )
    named = ", ".join(rehearsal.relays()) if rehearsal else ""
    yield (
        "Trust the relays (Settings, trusted relays, or `ipam trusted-relays create`): packets of others are dropped."
        + (f" The rehearsal saw {named}." if named else "")
    )


def made(command: str) -> Iterator[str]:
    yield f"Let the server check the plan and the managed address limit: `{command} --dry-run`."
    yield (
        f"Create the objects: `{command} --apply`. If it is interrupted, run it again: it creates the rest."
    )
    yield "Check that option 6 of each subnet is the site's resolver, not the DNS server of this service."
    yield "Keep embedded DNS disabled for each zone that the old server still updates."


def cut_over(command: str, pinned: int) -> Iterator[str]:
    yield "Stop the old server: two servers must never serve the same relay or use the same address."
    if pinned:
        yield (
            f"Copy its current leases and pin them, with a separate record ({pinned} were pinned for this "
            f"report): `{command} --pin-active-leases LEASES --apply --record pins`."
        )
    yield "Start the DHCP server, or point the relays at it: `/readyz` answers 200, `ipam probe` gets an address."
    yield (
        "Watch `ipam tail`, and drops and refusals on `/metrics`. A NAK for a renewal is expected: leases are not "
        "imported, so the client requests a new one."
    )
    yield f"To roll back: stop the DHCP server, start the old one, then run `{command} --undo`."


def afterwards(command: str, pinned: int) -> Iterator[str]:
    if pinned:
        yield (
            "Delete the pinned reservations when their clients have renewed, because they count toward the managed "
            f"address limit: `{command} --undo --record pins`."
        )
    yield "Enable embedded DNS where you need it, once nothing else updates the zone."
    yield "Keep the record of created objects (FILE.made) until the cutover is final: `--undo` needs it."
