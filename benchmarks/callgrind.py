"""Reader of callgrind's dumps, with the owner of each instruction.

A function's own instructions belong to its owner, if it has one. Instructions of shared functions
(the C library, Python, the lease table) are divided among their callers in proportion to the cost
of each call, up to an owner.
"""

from collections import defaultdict
from collections.abc import Callable, Iterable
from pathlib import Path
from typing import NamedTuple

ROUNDS = 60  # shared functions call each other: so many steps bring all but nothing to an owner


class Function(NamedTuple):
    """`library` is the file name of the executable or shared object, without what follows its first dot."""

    library: str
    name: str


class Profile:
    """`own`: instructions of each function itself. `calls`: total cost of (caller, callee)."""

    def __init__(self) -> None:
        self.own: dict[Function, int] = defaultdict(int)
        self.calls: dict[tuple[Function, Function], int] = defaultdict(int)

    @property
    def total(self) -> int:
        return sum(self.own.values())


def read(path: Path) -> Profile:
    """Read a dump with neither names nor positions compressed (`--compress-strings=no --compress-pos=no`)."""
    profile = Profile()
    library = called_library = name = called = ""
    inclusive = False
    for line in path.read_text().splitlines():
        key, _, value = line.partition("=")
        if key == "ob":
            library = stem(value)
        elif key == "fn":
            name, called_library = value, library
        elif key == "cob":
            called_library = stem(value)
        elif key == "cfn":
            called = value
        elif key == "calls":
            inclusive = True
        elif line[:1].isdigit():
            caller, cost = Function(library, name), int(line.split()[1])
            if inclusive:
                profile.calls[caller, Function(called_library, called)] += cost
                inclusive, called_library = False, library
            else:
                profile.own[caller] += cost
    return profile


def stem(path: str) -> str:
    return Path(path).name.partition(".")[0]


def by_owner(profile: Profile, owner: Callable[[Function], str | None]) -> dict[str, float]:
    """Return instructions by owner; "" is of those that no owner called."""
    shares = shares_of_shared(profile, owner)
    totals: dict[str, float] = defaultdict(float)
    for function, cost in profile.own.items():
        mine = owner(function)
        for name, share in {mine: 1.0}.items() if mine else shares[function].items():
            totals[name] += cost * share
    return dict(totals)


def shares_of_shared(
    profile: Profile, owner: Callable[[Function], str | None]
) -> dict[Function, dict[str, float]]:
    """Return the shares of each shared function's cost by its callers."""
    callers = {f: weights(found) for f, found in callers_of_shared(profile, owner).items()}
    shares: dict[Function, dict[str, float]] = {f: {"": 1.0} for f in profile.own if not owner(f)}
    for _ in range(ROUNDS):
        shares = {f: mixed(callers.get(f, {}), shares, owner) or {"": 1.0} for f in shares}
    return shares


def callers_of_shared(
    profile: Profile, owner: Callable[[Function], str | None]
) -> dict[Function, dict[Function, int]]:
    found: dict[Function, dict[Function, int]] = defaultdict(dict)
    for (caller, callee), cost in profile.calls.items():
        if not owner(callee) and caller != callee:
            found[callee][caller] = cost
    return found


def weights(costs: dict[Function, int]) -> dict[Function, float]:
    total = sum(costs.values()) or 1
    return {function: cost / total for function, cost in costs.items()}


def mixed(
    callers: dict[Function, float],
    shares: dict[Function, dict[str, float]],
    owner: Callable[[Function], str | None],
) -> dict[str, float]:
    total: dict[str, float] = defaultdict(float)
    for caller, weight in callers.items():
        mine = owner(caller)
        parts: Iterable[tuple[str, float]] = [(mine, 1.0)] if mine else shares.get(caller, {"": 1.0}).items()
        for name, share in parts:
            total[name] += weight * share
    return total
