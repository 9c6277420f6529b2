"""A site, its clients and what befalls them, for so long; then the judgement."""

import random
import subprocess
import time
from collections.abc import Callable, Iterator
from contextlib import ExitStack, contextmanager, suppress
from pathlib import Path
from typing import NamedTuple

import asyncpg
from chaos import trial
from chaos.clock import now
from chaos.crowd import Crowd
from chaos.judge import WAITED, Record, Verdict, read_history, standing
from chaos.nemesis import ALL, Fault, deck
from chaos.site import Site
from chaos.trial import History, Struck
from cluster.addresses import URL

CALM_SECONDS = (10.5, 13.0)
FAILURES = (
    AssertionError,
    OSError,
    asyncpg.PostgresError,
    asyncpg.InterfaceError,
    subprocess.SubprocessError,
)
READINGS, READING_SECONDS = 10, 3.0


class Plan(NamedTuple):
    """`seconds` of `faults`, all of them in any order again and again, unless so many of them are `in_order`."""

    seconds: float
    seed: int = 1
    count: int = 900
    rate: float = 250.0
    faults: tuple[Fault, ...] = tuple(ALL)
    in_order: bool = False


def carry_out(site: Site, plan: Plan, say: Callable[[str], None] = print) -> tuple[History, Verdict]:
    chance = random.Random(plan.seed)
    history, errors = History(plan.seed), list[str]()
    crowds = site.crowds(count=plan.count, rate=plan.rate, seed=plan.seed)
    with all_running(crowds):
        wait_until_bound(crowds)
        say("; ".join(str(dict(crowd.counted)) for crowd in crowds))
        with suppress(KeyboardInterrupt):  # what was seen until then is judged
            for fault in in_time(plan, chance):
                history.faults.append(struck(site, fault, chance, errors))
                say(told(history, crowds))
                if not whole_again(site, errors):
                    break
                calm(chance, history.faults[-1].end)
        calm(chance, now())
    history.records = gathered(crowds)
    read_with_patience(history)
    verdict = trial.try_(history)
    if errors:
        verdict.faults["never came back"] = errors
    return history, verdict


def in_time(plan: Plan, chance: random.Random) -> Iterator[Fault]:
    end = time.monotonic() + plan.seconds
    for fault in plan.faults if plan.in_order else deck(chance, list(plan.faults)):
        if time.monotonic() > end:
            return
        yield fault


def struck(site: Site, fault: Fault, chance: random.Random, errors: list[str]) -> Struck:
    """It, until it was over; where the site did not come back from it in time, until it is whole, if it ever is."""
    begin, end = now(), 0.0
    try:
        with fault(site, chance):
            end = now()
    except FAILURES as error:
        errors.append(f"{fault.__name__}: {error!r}")
        with suppress(*FAILURES):
            site.whole()
    return Struck(fault.__name__, begin, end or now())


def whole_again(site: Site, errors: list[str]) -> bool:
    try:
        site.whole()
    except FAILURES as error:  # what was seen until then is judged all the same
        errors.append(repr(error))
        return False
    return True


def calm(chance: random.Random, since: float) -> None:
    """Long enough that it shows whether everybody is served again."""
    time.sleep(max(0.0, since + chance.uniform(*CALM_SECONDS) - now()))


def read_with_patience(history: History) -> None:
    for left in reversed(range(READINGS)):
        try:
            history.active, history.read = standing(URL), now()
            history.events, history.moments = read_history(URL, history.records)
        except FAILURES:
            if not left:
                raise
            time.sleep(READING_SECONDS)
        else:
            return


@contextmanager
def all_running(crowds: list[Crowd]) -> Iterator[None]:
    with ExitStack() as running:
        for crowd in crowds:
            running.enter_context(crowd.running())
        yield
        for crowd in crowds:  # all at once; each is waited for afterwards
            crowd.ending.set()


def wait_until_bound(crowds: list[Crowd]) -> None:
    for crowd in crowds:
        crowd.has_bound(crowd.count // 2, within=60 + 4 * crowd.pause_seconds)


def gathered(crowds: list[Crowd]) -> list[Record]:
    """Who waits where there is hardly room waits for others to leave."""
    roomy = [crowd.records for crowd in crowds if len(crowd.plots) > 1]
    scarce = [record for crowd in crowds if len(crowd.plots) == 1 for record in crowd.records]
    return [*(r for records in roomy for r in records), *(r for r in scarce if r.what != WAITED)]


def told(history: History, crowds: list[Crowd]) -> str:
    last = history.faults[-1]
    counts = "  ".join(
        f"{word} {sum(crowd.counted[word] for crowd in crowds)}"
        for word in ("taken", "refused", "unanswered")
    )
    return f"{len(history.faults):4} {last.name:18} {last.end - last.begin:5.1f} s  {counts}"


def report(history: History, verdict: Verdict) -> str:
    lines = [f"seed {history.seed}: {len(history.faults)} faults, {verdict}"]
    lines += [f"{'fault':20} {'times':>5} {'longest silence':>16} {'longest wait after its end':>27}"]
    for name, gap in sorted(trial.gaps(history).items()):
        lines.append(f"{name:20} {gap.count:5} {gap.silence:14.1f} s {gap.wait:25.1f} s")
    return "\n".join(lines)


def keep(folder: Path, history: History, verdict: Verdict) -> Path:
    """What was found wrong, as a file."""
    path = folder / f"chaos-{history.seed}-{int(time.time())}.jsonl.gz"
    trial.write(path, history, verdict)
    return path
