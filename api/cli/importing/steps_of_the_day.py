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
        yield f"Do what is to be done by hand: {by_hand} of the warnings above."
    if rehearsal is None:
        yield (
            f"Rehearse the plan with a capture of the old server's traffic: `{command} --plan plan.json`, "
            "`ipam replay capture.pcap --plan plan.json`."
        )
    elif count := rehearsal.suffering():
        yield f"Decide about the clients that would get something else or nothing: {count}."
    yield (
        "Shorten the lease time at the old server, one of its lease times ahead: then clients whose renewal is "
        "refused after the cutover are soon those with a new lease."
    )
    named = ", ".join(rehearsal.relays()) if rehearsal else ""
    yield (
        "Trust the relays (Settings, trusted relays, or `ipam trusted-relays create`): others are not answered."
        + (f" The rehearsal saw {named}." if named else "")
    )


def made(command: str) -> Iterator[str]:
    yield f"Let the server check the plan and the managed address limit: `{command} --dry-run`."
    yield (
        f"Make it: `{command} --apply`. Prefixes come first, then subnets, excludes, pools, reservations, options; "
        "the same command again makes what is missing."
    )
    yield "See that option 6 of each subnet is the site's resolver, not this service's own DNS server."
    yield "Leave embedded DNS off for each zone that the old server still updates."


def cut_over(command: str, pinned: int) -> Iterator[str]:
    yield "Stop the old server: never two of them for the same relay or at the same address."
    if pinned:
        yield (
            f"Take a fresh copy of its leases and pin them, with a record of their own ({pinned} were pinned for this "
            f"report): `{command} --pin-active-leases LEASES --apply --record pins`."
        )
    yield "Start the DHCP server, or point the relays at it: `/readyz` answers 200, `ipam probe` gets an address."
    yield (
        "Watch `ipam tail`, and drops and refusals on `/metrics`. A NAK for a renewal is no fault: leases are not "
        "imported, and the client begins anew."
    )
    yield f"The way back: stop the DHCP server, start the old one, then `{command} --undo`."


def afterwards(command: str, pinned: int) -> Iterator[str]:
    if pinned:
        yield (
            "Remove the pinned reservations when their clients have renewed, because they count toward the managed "
            f"address limit: `{command} --undo --record pins`."
        )
    yield "Enable embedded DNS where it is wanted, once nothing else updates the zone."
    yield "Keep the record of what was made (FILE.made) until the cutover stands: `--undo` needs it."
