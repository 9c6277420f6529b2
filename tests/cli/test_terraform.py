"""docs/how-to/terraform.md leads to requests that the API takes: those that the generic REST provider sends for each
resource of it are sent here, in its order: create, read, change, read, and in the end delete. Nothing may read as
drift."""

import json
import re
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import httpx
import pytest
from cli.serving import Served, serving

GUIDE = (Path(__file__).parents[2] / "docs" / "how-to" / "terraform.md").read_text()
RESOURCE = re.compile(r'^resource "restapi_object" "(\w+)" \{\n(.*?)^\}', re.M | re.S)
FIELD = re.compile(r"^ +(\w+) += (.*)$", re.M)
PROVIDER = dict(FIELD.findall(re.search(r'^provider "restapi" \{\n(.*?)^\}', GUIDE, re.M | re.S)[1]))


@pytest.fixture
def http(database: str, tmp_path: Path) -> Iterator[httpx.Client]:
    with serving(database, tmp_path) as served, client_of(served) as client:
        yield client


def client_of(served: Served) -> httpx.Client:
    headers = {"authorization": f"Bearer {served.token}", "content-type": "application/json"}
    return httpx.Client(base_url=served.url, headers=headers)


def value_of(text: str, ids: dict[str, str]) -> Any:
    """A value of HCL as the guide writes them, references resolved."""
    text = re.sub(r"\$\{restapi_object\.(\w+)\.id\}", lambda found: ids[found[1]], text)
    text = re.sub(r"restapi_object\.(\w+)\.id", lambda found: json.dumps(ids[found[1]]), text)
    text = re.sub(r"(\w+) = ", r'"\1": ', re.sub(r"^jsonencode\((.*)\)$", r"\1", text))
    return json.loads(text)


def same_as_told(answer: httpx.Response, told: dict[str, Any]) -> bool:
    assert answer.status_code == 200, answer.text
    shown = answer.json()
    return {name: shown[name] for name in told} == told


def test_what_it_leads_to_is_taken(http: httpx.Client) -> None:
    ids: dict[str, str] = {}
    paths: list[str] = []
    method, key = json.loads(PROVIDER["update_method"]), json.loads(PROVIDER["id_attribute"])
    for name, block in RESOURCE.findall(GUIDE):
        fields = {field: value_of(text, ids) for field, text in FIELD.findall(block)}
        told = fields["data"]
        made = http.post(fields.get("create_path", fields["path"]), content=json.dumps(told))
        assert made.status_code == 201, made.text
        ids[name] = made.json()[key]
        paths.append(f"{fields['path']}/{ids[name]}")
        assert same_as_told(http.get(paths[-1]), told)
        changed = http.request(method, paths[-1], content=json.dumps(fields.get("update_data", told)))
        assert same_as_told(changed, told)
        assert same_as_told(http.get(paths[-1]), told)
        assert set(fields.get("force_new", ())) == told.keys() - fields.get("update_data", told).keys()
    assert len(paths) == 5
    for path in reversed(paths):
        assert http.delete(path).status_code == 204
        assert http.get(path).status_code == 404
