"""Text of the schema as this version has it: the tables of the baseline, later steps, and code.

schema/tables/      the baseline: every table, type and index of 0.2.0, a file a subject; a later change is a step
migrations/         later steps, in the order of their numbers, one file each
schema/functions/   functions and their triggers; schema/views/: views. This is the code: each file is applied again
                    whenever its text differs from the one that the database has

A step that the previous version cannot work with has the mark `-- phase: post`. `-- transactional: false` marks a step
of one statement that PostgreSQL refuses inside a transaction, such as `create index concurrently`.
"""

import hashlib
import re
from functools import cache
from importlib import resources
from typing import NamedTuple

BASELINE = "0071.baseline"
TABLES = ("plan", "leases", "usage", "operation", "dns", "notices", "search")
"""Files of the baseline; each refers to those before it."""
CODE = ("functions", "views")

SCHEMA = resources.files("ipam_core.db") / "schema"
STEPS = resources.files("ipam_core.migrations")

POST = re.compile(r"^-- phase: post$", re.MULTILINE)
ALONE = re.compile(r"^-- transactional: false$", re.MULTILINE)


class Text(NamedTuple):
    """A step, or a file of code, by its name: "0072.vlans", "functions/vacancy"."""

    name: str
    sql: str

    @property
    def is_post(self) -> bool:
        return POST.search(self.sql) is not None

    @property
    def in_transaction(self) -> bool:
        return ALONE.search(self.sql) is None

    @property
    def checksum(self) -> str:
        """Return the SHA-256 of the statements, which comments, blank lines and indentation do not change."""
        lines = (line.strip() for line in self.sql.splitlines())
        kept = (line for line in lines if line and not line.startswith("--"))
        return hashlib.sha256("\n".join(kept).encode()).hexdigest()


@cache
def steps() -> tuple[Text, ...]:
    """Return the baseline and the steps after it, in order."""
    tables = (SCHEMA / "tables" / f"{name}.sql" for name in TABLES)
    baseline = Text(BASELINE, "\n".join(file.read_text("utf-8") for file in tables))
    files = sorted(
        (file for file in STEPS.iterdir() if file.name.endswith(".sql")), key=lambda file: file.name
    )
    return (baseline, *(Text(file.name.removesuffix(".sql"), file.read_text("utf-8")) for file in files))


@cache
def code() -> tuple[Text, ...]:
    """Return the files of functions, triggers and views, in the order in which they are applied."""
    files = [
        (f"{folder}/{file.name.removesuffix('.sql')}", file)
        for folder in CODE
        for file in (SCHEMA / folder).iterdir()
    ]
    return tuple(
        Text(name, file.read_text("utf-8")) for name, file in sorted(files, key=lambda each: each[0])
    )
