"""The Python client: docs/reference/client.md is run against a served API, and the rest of what both clients promise is
asked of it. What a client does with an answer needs none: its steps are told one."""

import re
from collections.abc import AsyncIterator, Iterator
from pathlib import Path

import httpx
import pytest
from cli.serving import Served, serving

from api.client import ApiError, AsyncClient, Client, ConnectionFailed
from api.client.exchange import AWAY_SECONDS, LIMITED_SECONDS, Ask, Pause, answered
from api.client.following import Following
from api.generators.__main__ import ROOT, files, stale
from ipam_core.model.families import FAMILIES
from ipam_core.model.subnet import ListedSubnet, Subnet

GUIDE = Path(__file__).parents[2] / "docs" / "reference" / "client.md"
BLOCK = re.compile(r"```python\n(.*?)```", re.DOTALL)


@pytest.fixture(scope="module")
def served(module_database: str, tmp_path_factory: pytest.TempPathFactory) -> Iterator[Served]:
    with serving(module_database, tmp_path_factory.mktemp("api")) as running:
        yield running


@pytest.fixture
def client(served: Served) -> Iterator[Client]:
    with Client(served.url, served.token) as client:
        yield client


@pytest.fixture
async def async_client(served: Served) -> AsyncIterator[AsyncClient]:
    async with AsyncClient(served.url, served.token) as client:
        yield client


def test_the_guide_runs(
    served: Served, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("IPAM_API_URL", served.url)
    monkeypatch.setenv("IPAM_API_TOKEN", served.token)
    names: dict[str, object] = {}
    for block in BLOCK.findall(GUIDE.read_text()):
        exec(compile(block, str(GUIDE), "exec"), names)
    said = capsys.readouterr().out.splitlines()
    assert said[:3] == ["10.60.1.1 printer", "10.60.1.0/24 desks", "True"]
    assert said[3].startswith("412 precondition_failed ")
    assert said[4:6] == ["[201, 201]", "subnet.updated True"]
    assert said[6].startswith("{'items': [{'ip': '10.60.1.2'}")
    assert said[7] == "None"
    assert b"02:00:00:00:00:31" in (tmp_path / "reservations.csv").read_bytes()


def test_every_family_reads_as_its_models(client: Client) -> None:
    prefix = client.prefixes.create(cidr="10.1.0.0/16")
    subnet = client.subnets.create(prefix_id=prefix.id, cidr="10.1.1.0/24")
    hook = client.webhooks.create(url="https://example.net/", enabled=False)
    client.global_options.create(code=6, payload={"addresses": ["10.1.1.1"]})
    for name, family in FAMILIES.items():
        assert all(isinstance(row, family.row_model) for row in client.of(name).list()), name
    assert type(client.subnets.get(subnet.id)) is Subnet
    assert type(client.subnets.first(cidr="10.1.1.0/24")) is ListedSubnet
    assert client.subnets.first(cidr="10.9.9.0/24") is None
    assert hook.secret
    assert client.tokens.create(name="reader", role="viewer").token.startswith("ipam_live_")
    client.prefixes.delete(prefix.id, cascade=True)


def test_an_option_of_no_scope_is_changed_where_all_options_are(client: Client) -> None:
    option = client.global_options.create(code=42, payload={"addresses": ["10.1.1.1"]})
    changed = client.global_options.update(option.id, payload={"addresses": ["10.1.1.2"]})
    assert changed.payload == {"addresses": ["10.1.1.2"]}
    client.global_options.delete(option.id)


def test_a_list_pages_by_itself(client: Client) -> None:
    made = [client.prefixes.create(cidr=f"10.2.{number}.0/24") for number in range(5)]
    assert {row.id for row in client.prefixes.list(within="10.2.0.0/16", limit=2)} == {
        each.id for each in made
    }


def test_the_same_key_makes_one(client: Client) -> None:
    first, second = (client.prefixes.create(cidr="10.3.0.0/16", key="site-3") for _ in range(2))
    assert first == second


def test_a_change_and_a_deletion_on_condition(client: Client) -> None:
    prefix, tag = client.prefixes.tagged(client.prefixes.create(cidr="10.4.0.0/16").id)
    client.prefixes.update(prefix.id, if_match=tag, description="Four")
    with pytest.raises(ApiError) as refused:
        client.prefixes.delete(prefix.id, if_match=tag)
    assert (refused.value.status, refused.value.error_code) == (412, "precondition_failed")
    assert refused.value.request_id


def test_what_is_refused_says_why(client: Client) -> None:
    with pytest.raises(ApiError) as refused:
        client.prefixes.create(cidr="10.5.0.0/99")
    assert refused.value.details == {"field": "cidr", "reason": refused.value.details["reason"]}
    with pytest.raises(AttributeError, match="no family 'subnet'"):
        client.subnet  # noqa: B018 - to read it raises
    with pytest.raises(ConnectionFailed, match="cannot be reached"):
        next(Client("http://127.0.0.1:1/api/v1", sleep=lambda _: None).prefixes.list())


async def test_the_same_by_await(async_client: AsyncClient) -> None:
    client = async_client
    prefix = await client.prefixes.create(cidr="10.6.0.0/16")
    results = await client.bulk(
        [
            {
                "op": "create",
                "path": "/subnets",
                "body": {"prefix_id": prefix.id, "cidr": f"10.6.{number}.0/24"},
            }
            for number in range(3)
        ]
    )
    assert [result.status for result in results] == [201] * 3
    rows = [row.cidr async for row in client.subnets.list(within="10.6.0.0/16", limit=2)]
    assert rows == ["10.6.0.0/24", "10.6.1.0/24", "10.6.2.0/24"]
    read = await client.prefixes.tagged(prefix.id)
    await client.prefixes.update(prefix.id, if_match=read.etag, description="Six")
    assert (await client.prefixes.get(prefix.id)).description == "Six"
    await client.prefixes.update(prefix.id, description="=1+1")
    table = b"".join([piece async for piece in client.prefixes.csv(cidr="10.6.0.0/16", raw=False)])
    assert b",'=1+1," in table
    table = b"".join([piece async for piece in client.prefixes.csv(cidr="10.6.0.0/16")])
    assert b",=1+1," in table
    assert table.count(b"\r\n") == 2
    async for event in client.follow(type="prefix.updated", since=prefix.created_at):
        assert event.data["object_id"] == prefix.id
        break
    with pytest.raises(ApiError, match="not_found"):
        await client.subnets.get("none")
    with pytest.raises(ConnectionFailed):
        await AsyncClient("http://127.0.0.1:1/api/v1").request("POST", "/prefixes", {})


async def test_a_stream_is_refused_as_everything_is(served: Served, async_client: AsyncClient) -> None:
    with pytest.raises(ApiError, match="validation_error"):
        await anext(async_client.follow(type="no.such"))
    with pytest.raises(ApiError, match="unauthorized"), Client(served.url, "none") as client:
        next(client.follow())


def test_a_broken_stream_goes_on_behind_what_was_read() -> None:
    following = Following({"type": "node.*", "tenant_id": None})
    assert following.ask().headers == {"accept": "text/event-stream"}
    event = b'id: b\nevent: node.up\ndata: {"id":"1","created_at":"","updated_at":"","timestamp":"","type":"node.up"'
    said = b"retry: 1500\n\n: \nid: a\n\n" + event + b',"tenant_id":null,"data":{}}\n\nid: c\nevent: nod'
    read = [each.type for piece in (said[:70], said[70:]) for each in following.take(piece)]
    assert (read, following.pause) == (["node.up"], 1.5)
    again = following.ask()
    assert (again.headers["last-event-id"], again.query, following.rest) == ("b", {"type": "node.*"}, b"")


def response(status: int, **headers: str) -> httpx.Response:
    named = {name.replace("_", "-"): value for name, value in headers.items()}
    return httpx.Response(status, headers=named, content=b"{}")


def test_retry_after_is_heeded_within_bounds() -> None:
    steps = answered(Ask("PATCH", "/prefixes/1", {}))
    next(steps)
    assert steps.send(response(429, retry_after="7")) == Pause(7, LIMITED_SECONDS)
    next(steps)
    assert steps.send(response(503, retry_after="3600")) == Pause(3600, AWAY_SECONDS)
    next(steps)
    with pytest.raises(StopIteration):
        steps.send(response(200))


def test_the_last_attempt_ends_it() -> None:
    steps = answered(Ask("GET", "/prefixes"))
    next(steps)
    for _ in range(3):
        assert steps.send(response(503)) == Pause(1, AWAY_SECONDS)
        next(steps)
    with pytest.raises(ApiError, match="503"):
        steps.send(response(503))


def test_a_change_that_got_lost_is_not_sent_again() -> None:
    steps = answered(Ask("PATCH", "/prefixes/1", {}))
    next(steps)
    with pytest.raises(ConnectionFailed):
        steps.throw(ConnectionFailed("http://ipam", "reset"))
    again = answered(Ask("POST", "/prefixes", {}, headers={"idempotency-key": "k"}))
    next(again)
    assert again.throw(ConnectionFailed("http://ipam", "reset")) == Pause(0.2, AWAY_SECONDS)


def test_what_is_generated_is_current() -> None:
    """If this fails: make setup"""
    assert [str(path) for path, text in files().items() if (ROOT / path).read_text() != text] == []
    assert stale(ROOT, files()) == []
