"""Runs a command as a unit of deploy/systemd would run it, as far as that can be had without systemd:

    python confined.py UNIT CALLS STATE ACCOUNT COMMAND...

In the mount namespace that it finds itself in, / becomes read-only but for STATE, and /proc as the unit has it. Then
ACCOUNT runs the command with the unit's capabilities and nothing else, behind the unit's filters of system calls,
address families and memory that can be written and executed (libseccomp). CALLS is a file of the calls that pass.
"""

import ctypes
import os
import subprocess
import sys
from pathlib import Path

SELF = Path(__file__).resolve()
REFUSE, ALLOW = 0x0005_0001, 0x7FFF_0000  # SCMP_ACT_ERRNO(EPERM), SCMP_ACT_ALLOW
EQUAL, MASKED_EQUAL = 4, 7
WRITE, EXECUTE = 2, 4
FAMILIES = {"AF_UNIX": 1, "AF_INET": 2, "AF_INET6": 10, "AF_NETLINK": 16, "AF_PACKET": 17}


class Compare(ctypes.Structure):
    """struct scmp_arg_cmp"""

    _fields_ = (
        ("arg", ctypes.c_uint),
        ("op", ctypes.c_int),
        ("a", ctypes.c_uint64),
        ("b", ctypes.c_uint64),
    )


def settings_of(unit: Path) -> dict[str, list[str]]:
    """The lines of [Service] by name, in order."""
    lines = unit.read_text().partition("[Service]\n")[2].partition("\n[")[0].splitlines()
    found: dict[str, list[str]] = {}
    for name, _, value in (line.partition("=") for line in lines if line and line[0] != "#"):
        found.setdefault(name, []).append(value)
    return found


def groups(told: str) -> dict[str, set[str]]:
    """The members of each group of system calls, groups among them, as `systemd-analyze syscall-filter` tells them."""
    found: dict[str, set[str]] = {}
    for line in told.splitlines():
        word = line.strip().partition(" ")[0]
        if line.startswith("@"):
            members = found.setdefault(word, set())
        elif line.startswith("    ") and word != "#":
            members.add(word)
    return found


def allowed(filters: list[str], known: dict[str, set[str]]) -> set[str]:
    calls = set[str]()
    for line in filters:
        named = {call for word in line.lstrip("~").split() for call in resolved(word, known)}
        calls = calls - named if line.startswith("~") else calls | named
    return calls


def resolved(word: str, known: dict[str, set[str]]) -> set[str]:
    if not word.startswith("@"):
        return {word}
    return {call for member in known[word] for call in resolved(member, known)}


def install_filter(told: dict[str, list[str]], calls: list[str]) -> None:
    library = ctypes.CDLL("libseccomp.so.2")
    library.seccomp_init.restype = ctypes.c_void_p
    context = ctypes.c_void_p(library.seccomp_init(ctypes.c_uint32(REFUSE)))
    families = [FAMILIES[name] for name in told["RestrictAddressFamilies"][0].split()]
    never_both = [[Compare(2, MASKED_EQUAL, WRITE | EXECUTE, bits)] for bits in (0, WRITE, EXECUTE)]
    rules = {
        "socket": [[Compare(0, EQUAL, family, 0)] for family in families],
        "mmap": never_both,
        "mprotect": [[Compare(2, MASKED_EQUAL, EXECUTE, 0)]],
    }
    for call in calls:
        number = library.seccomp_syscall_resolve_name(call.encode())
        for comparisons in rules.get(call, [[]]) if number >= 0 else []:
            array = (Compare * len(comparisons))(*comparisons)
            added = library.seccomp_rule_add_array(
                context, ctypes.c_uint32(ALLOW), number, len(comparisons), array
            )
            assert added == 0, call
    assert library.seccomp_load(context) == 0


def mount(*words: str | Path) -> None:
    subprocess.run(["mount", *words], check=True)


def protect(told: dict[str, list[str]], state: str) -> None:
    mount("--make-rprivate", "/")
    for folder in (sys.base_prefix, sys.prefix, str(SELF.parents[2])):
        open_way(Path(folder))
    mount("--bind", state, state)
    mount("-o", "bind,remount,ro", "/")
    subset = ",subset=pid" if told.get("ProcSubset") == ["pid"] else ""
    mount("-t", "proc", "-o", f"hidepid=invisible{subset}", "proc", "/proc")


def open_way(folder: Path) -> None:
    """Python and the checkout may lie in somebody's closed home, where no package would be."""
    top = Path("/", folder.parts[1])
    if top.stat().st_mode & 0o001:
        return
    aside = Path("/mnt")
    mount("--bind", folder, aside)
    mount("-t", "tmpfs", "-o", "mode=755", "closed", top)
    folder.mkdir(parents=True)
    mount("--move", aside, folder)


def capabilities(told: dict[str, list[str]]) -> list[str]:
    names = [name.removeprefix("CAP_").lower() for name in told.get("AmbientCapabilities", [""])[0].split()]
    listed = ",".join(["-all", *(f"+{name}" for name in names)])
    return [f"--bounding-set={listed}", f"--inh-caps={listed}", f"--ambient-caps={listed}"]


def main(unit: str, calls: str, state: str, account: str, *command: str) -> None:
    told = settings_of(Path(unit))
    if account:
        protect(told, state)
        become = ["--reuid", account, "--regid", account, "--clear-groups"]
        again = [sys.executable, "-P", str(SELF), unit, calls, state, "", *command]
        os.execvp("setpriv", ["setpriv", *become, *capabilities(told), "--no-new-privs", *again])
    install_filter(told, Path(calls).read_text().split())
    os.execv(command[0], command)


if __name__ == "__main__":
    main(*sys.argv[1:])
