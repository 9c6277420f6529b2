"""One level of nested prefixes, wherever a run is cut, against its definition: lies in no other, or holds none."""

from ipaddress import ip_network
from typing import Literal

from hypothesis import given
from hypothesis import strategies as st

from ipam_core.netbox.levels import Candidate, Chooser, lies_in, order

Level = Literal["outermost", "innermost"]


def four(number: int, length: int) -> str:
    return str(ip_network((0x0A000000 | number << 20, length), strict=False))


def six(number: int, length: int) -> str:
    return str(ip_network((0x2001_0DB8 << 96 | number << 92, length), strict=False))


CIDRS = st.one_of(
    st.builds(four, st.integers(0, 15), st.integers(8, 14)),
    st.builds(six, st.integers(0, 15), st.integers(32, 38)),
)
ROWS = st.lists(st.tuples(CIDRS, st.sampled_from("ab")), max_size=30)


def run(
    level: Level, candidates: list[Candidate], cuts: set[int]
) -> tuple[list[Candidate], dict[Candidate, str]]:
    """What is taken, and the reasons of the rest; at each cut only what a cursor would hold goes on."""
    chooser, verdicts = Chooser(level), []
    for number, each in enumerate(candidates):
        verdicts += chooser.offer(each)
        if number in cuts:
            verdicts += chooser.settle(each.network)
            chooser = Chooser(level, [*chooser.held.values()])
    verdicts += chooser.settle(None)
    taken = [each.candidate for each in verdicts if each.reason is None]
    return taken, {each.candidate: each.reason for each in verdicts if each.reason}


@given(ROWS, st.sets(st.integers(0, 29)), st.sampled_from(["outermost", "innermost"]))
def test_a_level_is_what_its_name_says(rows: list[tuple[str, str]], cuts: set[int], level: Level) -> None:
    ordered = sorted(rows, key=lambda row: order(ip_network(row[0])))
    candidates = [Candidate(number, cidr, tenant, "") for number, (cidr, tenant) in enumerate(ordered)]
    taken, left = run(level, candidates, cuts)
    assert sorted(each.netbox_id for each in (*taken, *left)) == list(range(len(candidates)))
    assert {(each.cidr, each.tenant_id) for each in taken} == {row for row in rows if is_of(level, row, rows)}
    assert len(taken) == len({(each.cidr, each.tenant_id) for each in taken})
    for each in left:
        assert left[each] in ("duplicate", "nested" if level == "outermost" else "holds_others")


def is_of(level: Level, row: tuple[str, str], rows: list[tuple[str, str]]) -> bool:
    here = ip_network(row[0])
    others = [ip_network(cidr) for cidr, tenant in rows if tenant == row[1] and cidr != row[0]]
    return not any(lies_in(here, other) if level == "outermost" else lies_in(other, here) for other in others)
