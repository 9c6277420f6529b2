"""Steps of a version after this one, as a test adds them: an additive one and one for the end of the upgrade."""

from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import pytest

from ipam_core.db import schema, schema_files

STEPS = {
    "9001.rooms": "create table room (no integer primary key, name text not null);\n"
    "alter table subnet add column room_no integer references room;\n"
    "alter table lease add column room text;\n",
    "9002.no_names": "-- phase: post\nalter table room drop column name;\n",
}


@contextmanager
def next_version(folder: Path, steps: dict[str, str] | None = None) -> Iterator[None]:
    """Migrate as that version in this process."""
    for name, text in (STEPS if steps is None else steps).items():
        (folder / f"{name}.sql").write_text(text)
    cached = (schema_files.steps, schema.deferrable)
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(schema_files, "STEPS", folder)
        for each in cached:
            each.cache_clear()
        yield
    for each in cached:
        each.cache_clear()
