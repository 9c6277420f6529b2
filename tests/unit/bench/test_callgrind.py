"""A profile as callgrind writes it, by hand: own costs, calls, and what shared functions did for whom."""

from pathlib import Path

import pytest

from benchmarks.callgrind import Function, Profile, by_owner, read

DUMP = """# callgrind format
version: 1
positions: line
events: Ir
summary: 190

ob=/x/parse.cpython-311-x86_64-linux-gnu.so
fl=parse.c
fn=walk
10 40
fi=inlined.c
11 20
fe=parse.c
cfi=copy.c
cob=/lib/libc.so.6
cfn=memcpy
calls=2 5
12 30
cfn=step
calls=1 20
13 10

fn=step
20 10

ob=/x/build.cpython-311-x86_64-linux-gnu.so
fl=build.c
fn=put
30 60
cob=/lib/libc.so.6
cfn=memcpy
calls=4 5
31 30

ob=/lib/libc.so.6
fl=copy.c
fn=memcpy
5 50
cfn=check
calls=6 9
6 10

fn=check
9 10
"""
WALK, STEP, PUT = Function("parse", "walk"), Function("parse", "step"), Function("build", "put")
MEMCPY, CHECK = Function("libc", "memcpy"), Function("libc", "check")


@pytest.fixture
def profile(tmp_path: Path) -> Profile:
    (tmp_path / "dump").write_text(DUMP)
    return read(tmp_path / "dump")


def test_what_a_dump_says(profile: Profile) -> None:
    assert dict(profile.own) == {WALK: 60, STEP: 10, PUT: 60, MEMCPY: 50, CHECK: 10}
    assert dict(profile.calls) == {
        (WALK, MEMCPY): 30,
        (WALK, STEP): 10,
        (PUT, MEMCPY): 30,
        (MEMCPY, CHECK): 10,
    }
    assert profile.total == 190


def test_shared_functions_work_for_their_callers(profile: Profile) -> None:
    """memcpy and what it calls, 60 in all, was called for as much by the one as by the other."""
    owners = {"parse": "parse", "build": "build"}
    found = by_owner(profile, lambda function: owners.get(function.library))
    assert found == pytest.approx({"parse": 70 + 30, "build": 60 + 30})


def test_what_nobody_called_for(profile: Profile) -> None:
    found = by_owner(profile, lambda function: "parse" if function.library == "parse" else None)
    assert found == pytest.approx({"parse": 100, "": 90})
