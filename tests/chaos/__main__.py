"""`make chaos`: three DHCP servers of both families on a cluster, thousands of clients, and whatever can go wrong.

Needs root, as `make cluster` does. Ends with 1 when anything is wrong, and keeps its history as a file then. Ctrl-C or
SIGTERM ends the faults, and what was seen until then is judged.
"""

import argparse
import os
import signal
import sys
import tempfile
import time
from pathlib import Path
from shutil import copy, rmtree

from chaos import nemesis
from chaos.campaign import Plan, carry_out, keep, report
from chaos.site import Site
from harness.memory_folder import memory_folder
from system.peers import PeerMissingError


def main() -> int:
    wanted = arguments()
    if os.geteuid() != 0:
        print("make chaos needs root: it makes network namespaces", file=sys.stderr)
        return 1
    faults = tuple(fault for fault in nemesis.ALL if fault.__name__ in (wanted.only or [fault.__name__]))
    plan = Plan(60 * wanted.minutes, wanted.seed, wanted.clients, wanted.rate, faults)
    signal.signal(signal.SIGTERM, signal.default_int_handler)
    folder = Path(tempfile.mkdtemp(prefix="ipam-chaos-", dir=memory_folder()))
    folder.chmod(0o711)
    try:
        return run(plan, folder, Path(wanted.keep))
    except PeerMissingError as error:
        print(f"missing: {error}", file=sys.stderr)
        return 1
    finally:
        if wanted.logs:
            keep_logs(folder, Path(wanted.logs))
        rmtree(folder, ignore_errors=True)


def run(plan: Plan, folder: Path, kept: Path) -> int:
    say(f"seed {plan.seed}, {plan.seconds / 60:.0f} minutes; half a minute to start")
    with Site(folder) as site:
        history, verdict = carry_out(site, plan, say)
    say(report(history, verdict))
    if verdict.faults:
        say(f"kept as {keep(kept, history, verdict)}")
    return 1 if verdict.faults else 0


def keep_logs(folder: Path, to: Path) -> None:
    to.mkdir(parents=True, exist_ok=True)
    for log in folder.rglob("*.log"):
        copy(log, to / "-".join(log.relative_to(folder).parts))


def arguments() -> argparse.Namespace:
    parser = argparse.ArgumentParser(prog="make chaos")
    parser.add_argument("--minutes", type=float, default=10.0, help="how long faults befall them (10)")
    parser.add_argument("--seed", type=int, default=int(time.time()), help="another number, other faults")
    parser.add_argument("--clients", type=int, default=900, help="of IPv4; half as many of IPv6 (900)")
    parser.add_argument("--rate", type=float, default=250.0, help="what they ask for a second (250)")
    parser.add_argument("--only", action="append", help="only this fault; may be said again")
    parser.add_argument("--keep", default=".", help="where the history goes when anything was wrong")
    parser.add_argument("--logs", help="where all logs go at the end")
    return parser.parse_args()


def say(text: str) -> None:
    print(f"{time.strftime('%H:%M:%S')} {text}", flush=True)


if __name__ == "__main__":
    sys.exit(main())
