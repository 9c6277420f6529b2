"""JSON that nests without end is refused wherever it enters, before what walks it calls itself for each level."""

import base64
from pathlib import Path
from typing import Any

import httpx
import pytest

from api.cli.fields import json_or_text
from api.cli.importing.record import Record, RecordError
from api.cli.importing.rehearsal import RehearsalError
from api.cli.importing.rehearsal import read as read_rehearsal
from dhcp_fast.replay.plan_file import PlanFileError
from dhcp_fast.replay.plan_file import read as read_plan
from ipam_core.errors import BadRequest
from ipam_core.model.decoding import DEEPEST, parse_json

DEPTHS = [DEEPEST + 1, 500, 900, 980, 100_000]
SHAPES = {"list": ("[", "]"), "object": ('{"a":', "}"), "mixed": ('[{"a":', "}]")}


def nested(depth: int, inside: str = "1", shape: str = "list") -> str:
    begin, end = SHAPES[shape]
    return begin * depth + inside + end * depth


@pytest.mark.parametrize("shape", SHAPES)
def test_a_body_has_so_many_levels(shape: str) -> None:
    fits = DEEPEST // (2 if shape == "mixed" else 1)
    assert parse_json(nested(fits, shape=shape).encode()) is not None
    for depth in (fits + 1, *DEPTHS):
        with pytest.raises(BadRequest):
            parse_json(nested(depth, shape=shape).encode())


def test_many_brackets_side_by_side_are_no_depth() -> None:
    assert len(parse_json(b"[" + b",".join([b"[[]]"] * 5000) + b"]")) == 5000


@pytest.mark.parametrize("depth", DEPTHS)
async def test_every_way_in_refuses_depth(
    admin: httpx.AsyncClient, subnet: dict[str, Any], depth: int
) -> None:
    """A NUL inside is looked for in every member, a patch is merged member by member."""
    item = f"/subnets/{subnet['id']}"
    json = {"content-type": "application/json"}
    deep = nested(depth, '"\\u0000"', "object")
    bodies = {
        ("POST", "/prefixes"): f'{{"cidr": "10.9.0.0/16", "custom": {deep}}}',
        ("PATCH", item): f'{{"custom": {deep}}}',
        ("POST", "/client-classes"): f'{{"name": "x", "match": {nested(depth, "{}", "mixed")}}}',
        ("POST", f"{item}/options"): f'{{"code": 43, "payload": {deep}}}',
        ("POST", "/bulk"): f'{{"operations": [{{"op": "create", "path": "/prefixes", "body": {deep}}}]}}',
        ("POST", "/dhcp/explain"): nested(depth),
        ("POST", "/netbox/import"): deep,
    }
    for (method, path), body in bodies.items():
        for headers in (json, json | {"idempotency-key": f"{method}{path}{depth}"}):
            answer = await admin.request(method, path, content=body, headers=headers)
            assert answer.status_code in (400, 413, 422), (path, answer.text)
    cursor = base64.urlsafe_b64encode(f'{{"x": {nested(min(depth, 10_000))}}}'.encode()).decode()
    assert (await admin.get("/prefixes", params={"cursor": cursor})).status_code == 422
    answer = await admin.get("/events", headers={"last-event-id": cursor, "accept": "text/event-stream"})
    assert answer.status_code == 422, answer.text


def test_files_of_the_command_line(tmp_path: Path) -> None:
    path = tmp_path / "file.json"
    path.write_text(f'{{"format": "kea", "x": {nested(100_000)}}}')
    with pytest.raises(RehearsalError):
        read_rehearsal(path)
    with pytest.raises(PlanFileError):
        read_plan(path)
    path.write_text(
        f'{{"sent": {{"key": "x", "operations": [{{"a": {nested(100_000)}}}], "families": []}}}}\n'
    )
    with pytest.raises(RecordError):
        Record(path, "http://127.0.0.1:8080")
    deep = nested(100_000)
    assert json_or_text(deep) == deep, "an argument that is no JSON is a text"
