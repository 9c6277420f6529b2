"""One table names the families: one that is added there, with its service, is everywhere."""

import re
import subprocess
import sys
from pathlib import Path

import asyncpg
import pytest

from ipam_core.model.base import Model
from ipam_core.model.families import FAMILIES, PLAIN, WITH_SECRETS, Level
from ipam_core.services.entities import ENTITIES
from ipam_core.services.entity.entity import Entity

ROOT = Path(__file__).parents[2]
SERVED_OTHERWISE = {"leases", "lease-events", "events", "audit"}
every_entity = pytest.mark.parametrize("entity", ENTITIES.values(), ids=list(ENTITIES))


def test_a_family_that_is_added_is_everywhere(database: str) -> None:
    """Routes, bulk, OpenAPI and its part, audit, events of webhooks, cascades, the command line, the Python client."""
    script = Path(__file__).with_name("new_family.py")
    subprocess.run([sys.executable, str(script), database], check=True, cwd=ROOT)


def test_every_family_has_its_entity_and_models() -> None:
    assert set(ENTITIES) == set(FAMILIES) - SERVED_OTHERWISE
    for family in FAMILIES.values():
        assert issubclass(family.model, Model)
        if family.name in ENTITIES:
            entity = ENTITIES[family.name]
            assert (entity.family, entity.model, entity.row_model) == (family, family.model, family.row_model)


@every_entity
async def test_the_statements_of_an_entity_can_be_prepared(pool: asyncpg.Pool, entity: Entity[Model]) -> None:
    async with pool.acquire() as connection:
        for statement in (entity.select_one, entity.list_view, entity.delete):
            await connection.prepare(statement)
        if entity.lock is None and entity.family.level is not Level.SUBNET:
            await connection.prepare(entity.lock_row)
        if entity.columns:
            for statement in (entity.insert, entity.update):
                await connection.prepare(statement)


@every_entity
async def test_the_level_of_a_family_fits_its_table(pool: asyncpg.Pool, entity: Entity[Model]) -> None:
    found = await pool.fetch(
        "select column_name from information_schema.columns where table_name = $1", entity.table
    )
    columns = {row["column_name"] for row in found}
    needed = {Level.TENANT: "tenant_no", Level.ALL: "tenant_no", Level.SUBNET: "subnet_no"}
    assert needed.get(entity.family.level, "no") in columns


def test_no_other_list_names_them() -> None:
    """A list of names is three of them in quotation marks side by side."""
    names = [family.name for family in FAMILIES.values()] + [
        family.singular for family in (*PLAIN, *WITH_SECRETS)
    ]
    name = "[\"'](?:" + "|".join(sorted(names, key=len, reverse=True)) + ")[\"']"
    several = re.compile(rf"{name}\s*,\s*{name}\s*,\s*{name}")
    sources = [path for room in ("api", "ipam_core") for path in (ROOT / room).rglob("*.py")]
    found = {str(path.relative_to(ROOT)) for path in sources if several.search(path.read_text())}
    assert found == {"ipam_core/model/families.py"}
