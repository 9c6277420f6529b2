"""Arguments without text, such as those of an unset shell variable: refused before anything is asked of a server."""

import click
import pytest
from click.testing import CliRunner

from api.cli import main
from api.cli.names import Names
from api.client import Client
from ipam_core.model.families import FAMILIES

NOWHERE = "http://127.0.0.1:9/api/v1"

NAMELESS = [
    "delete subnet {} --cascade --yes",
    "delete subnet office {}",
    "delete token {}",
    "delete node {}",
    "delete pool {} --subnet office",
    "delete pool desks --subnet {}",
    "set subnet {} name=lab",
    "show subnet {}",
    "get subnet {}",
    "show {}",
    "subnets {}",
    "subnets list --tenant {}",
    "nodes drain {}",
    "tokens rotate {}",
    "webhooks deliveries {}",
    "client-classes values {}",
    "release {}",
    "release --subnet {}",
    "reserve {}",
    "free {}",
    "next-subnet {} /24",
    "map {}",
    "history {}",
    "who {}",
    "where {}",
    "search {}",
]


@pytest.mark.parametrize("line", NAMELESS)
@pytest.mark.parametrize("blank", ["", "  "])
def test_a_name_without_text_is_refused(line: str, blank: str) -> None:
    words = [blank if word == "{}" else word for word in line.split()]
    ran = CliRunner().invoke(main, words, env={"IPAM_API_URL": NOWHERE})
    assert ran.exit_code == 2, ran.output
    assert " is empty" in ran.stderr


@pytest.mark.parametrize("family", [family for family in FAMILIES.values() if family.items is family])
def test_no_family_looks_for_an_empty_name(family: object) -> None:
    assert isinstance(family, type(FAMILIES["subnets"]))
    with Client(NOWHERE, "") as client:
        names = Names(client)
        for ask in (names.find, names.id, names.reference):
            with pytest.raises(click.UsageError, match=r"^NAME is empty: name an? "):
                ask(family, " ")
        with pytest.raises(click.UsageError, match="is empty"):
            names.resolve({family.key: ""}, {family.key})
        with pytest.raises(click.UsageError, match="is empty"):
            Names(client, "")
