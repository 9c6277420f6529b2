"""Ids grow with time; tokens carry a check that a typing error does not pass; leases name their key."""

import time
from collections.abc import Callable
from ipaddress import ip_address
from uuid import uuid4

import pytest
from hypothesis import given
from hypothesis import strategies as st

from ipam_core.model import lease, token
from ipam_core.model.ids import new_id, parse_id


def test_ids_are_version_seven_and_grow_with_time() -> None:
    first = new_id()
    time.sleep(0.003)
    second = new_id()
    assert first.version == second.version == 7
    assert first.variant == uuid4().variant
    assert str(first) < str(second)
    assert len({new_id() for _ in range(1000)}) == 1000


@pytest.mark.parametrize("spell", [str.upper, lambda text: text.replace("-", ""), lambda text: f"{{{text}}}"])
def test_an_id_has_one_spelling(spell: Callable[[str], str]) -> None:
    id_ = new_id()
    assert parse_id(str(id_)) == id_
    assert parse_id(spell(str(id_))) is None


def test_tokens_have_the_documented_shape() -> None:
    secret = token.new_secret()
    assert secret.startswith("ipam_live_")
    assert len(secret) == len("ipam_live_") + 32 + 6
    assert secret.removeprefix("ipam_live_").isalnum()
    assert token.well_formed(secret)
    assert len({token.new_secret() for _ in range(100)}) == 100


@given(st.data())
def test_one_wrong_character_is_noticed(data: st.DataObject) -> None:
    secret = token.new_secret()
    place = data.draw(st.integers(0, len(secret) - 1))
    others = [character for character in token.ALPHABET if character != secret[place]]
    other = others[data.draw(st.integers(0, len(token.ALPHABET) - 2))]
    assert not token.well_formed(secret[:place] + other + secret[place + 1 :])


@pytest.mark.parametrize("text", ["", "ipam_live_", "ipam_live_" + "x" * 38, "é" * 48])
def test_what_was_never_a_token_is_noticed(text: str) -> None:
    assert not token.well_formed(text)


@given(st.integers(0, 2**31 - 1), st.ip_addresses())
def test_a_lease_id_names_tenant_and_address(tenant_no: int, address: object) -> None:
    id_ = lease.lease_id(tenant_no, ip_address(str(address)))
    assert lease.parse_lease_id(id_) == (tenant_no, address)
    assert id_.replace("-", "").replace("_", "").isalnum()


@given(st.text(max_size=40))
def test_any_other_text_names_no_lease(text: str) -> None:
    found = lease.parse_lease_id(text)
    assert found is None or lease.lease_id(*found) == text
