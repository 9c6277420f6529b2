"""Addresses and tokens of a NetBox as people write them."""

import pytest

from ipam_core.errors import ValidationError
from ipam_core.netbox.client import Reply, address_of, authorization, position_of, retry_after, words

V1 = "0123456789abcdef0123456789abcdef01234567"


@pytest.mark.parametrize(
    ("url", "base"),
    [
        ("https://netbox.example", "https://netbox.example/api"),
        (" https://netbox.example/ ", "https://netbox.example/api"),
        ("https://netbox.example/api/", "https://netbox.example/api"),
        ("http://[2001:db8::1]:8000/netbox/", "http://[2001:db8::1]:8000/netbox/api"),
    ],
)
def test_the_start_page_and_the_api_are_one_address(url: str, base: str) -> None:
    assert address_of(url) == base


@pytest.mark.parametrize(
    "url",
    ["netbox.example", "ftp://netbox.example", "https://", "https://[::1", "http://x:0/", "http://x:99999/"],
)
def test_what_is_no_address(url: str) -> None:
    with pytest.raises(ValidationError, match="url: must be an http or https address"):
        address_of(url)


@pytest.mark.parametrize("url", ["https://me:secret@netbox.example", "https://x/?a=1", "https://x/#a"])
def test_an_address_holds_no_secret(url: str) -> None:
    with pytest.raises(ValidationError, match="url: must not contain a user") as error:
        address_of(url)
    assert "secret" not in str(error.value)


@pytest.mark.parametrize(
    ("token", "header"),
    [
        (V1, f"Token {V1}"),
        (f"Token {V1}\n", f"Token {V1}"),
        ("nbt_key.secret", "Bearer nbt_key.secret"),
        ("Bearer nbt_key.secret", "Bearer nbt_key.secret"),
        ("Bearer other", "Bearer other"),
    ],
)
def test_the_version_shows_in_the_form(token: str, header: str) -> None:
    assert authorization(token) == header


@pytest.mark.parametrize(
    "token", ["nbt_key", " ", "Basic x", "a\r\nb: c", "tök", "Bearer nbt_key", "Token Token x"]
)
def test_what_is_no_token_is_refused_and_not_repeated(token: str) -> None:
    with pytest.raises(ValidationError, match=r"^token: ") as error:
        authorization(token)
    assert token.strip() == "" or token not in str(error.value)


def test_of_a_next_link_the_position_alone_counts() -> None:
    assert position_of(None) is None
    assert position_of("http://elsewhere.example/evil/?limit=5&offset=10") == ("offset", 10)
    assert position_of("https://x/api/ipam/prefixes/?limit=5&start=99") == ("start", 99)
    with pytest.raises(ValidationError, match="neither offset nor start"):
        position_of("https://x/?cursor=abc")


@pytest.mark.parametrize(
    ("status", "text", "seconds"),
    [(429, "7", 7), (503, "0", 0), (429, "Wed, 21 Oct", 60), (429, "", None), (200, "7", None)],
)
def test_how_long_it_asks_to_wait(status: int, text: str, seconds: int | None) -> None:
    assert retry_after(Reply(status, {"retry-after": text} if text else {}, b"")) == seconds


def test_errors_of_any_shape_are_words() -> None:
    assert (
        words({"prefix": ["Bad.", "Worse."], "vrf": {"name": ["x"]}}) == "prefix: Bad. Worse.; vrf: name: x"
    )
    assert words([{}, {"prefix": ["Bad."]}]) == "prefix: Bad."
    assert words(None) == ""
