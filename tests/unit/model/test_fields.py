"""What help says of the fields of a create."""

import pytest

from ipam_core.model.families import FAMILIES, PLAIN, WITH_SECRETS
from ipam_core.model.fields import Field, create_fields
from ipam_core.services.entities import ENTITIES


def fields(family: str) -> dict[str, Field]:
    return {field.name: field for field in create_fields(FAMILIES[family])}


@pytest.mark.parametrize("name", [family.name for family in (*PLAIN, *WITH_SECRETS)] + ["global-options"])
def test_a_family_names_what_makes_one(name: str) -> None:
    assert FAMILIES[name].new is ENTITIES[name].create


def test_kinds_are_words() -> None:
    subnet = fields("subnets")
    kinds = {name: subnet[name].kind for name in ("cidr", "prefix_id", "relay_addresses", "cache_threshold")}
    assert kinds == {
        "cidr": "cidr",
        "prefix_id": "id",
        "relay_addresses": "list of ip-address",
        "cache_threshold": "number 0..1",
    }
    assert subnet["lease_time_seconds"].kind == "integer 1..4294967295"
    assert fields("pools")["allocation"].kind == "hashed | sequential"
    assert fields("webhooks")["events"].kind == "list of text"


def test_what_must_be_said_comes_first() -> None:
    first, second = list(fields("subnets").values())[:2]
    assert (first.name, first.required, second.name) == ("cidr", True, "prefix_id")
    assert fields("subnets")["lease_time_seconds"].default == 86400


def test_what_the_path_takes_is_a_field_too() -> None:
    assert fields("excludes")["subnet_id"][1:3] == ("id", True)
    assert not fields("reservations")["subnet_id"].required
    assert not fields("options")["pool_id"].required
