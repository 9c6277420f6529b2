"""A plan of `ipam import --plan`, in a database of its own, so that it is rehearsed before it is applied.

The database is a temporary PostgreSQL with our schema. The API's services create the objects, so
classes, options and defaults have the same effect, and objects that the API would refuse are
refused here. The plan is read as data: fields as in a site file, with classes by name.
"""

import contextlib
import os
import shutil
import signal
import tempfile
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import msgspec
from asyncpg import Connection

from ipam_core.db.embedded.server import EmbeddedPostgres
from ipam_core.db.migrate import migrate
from ipam_core.errors import IpamError
from ipam_core.model import decoding
from ipam_core.model.actor import Actor
from ipam_core.model.families import FAMILIES
from ipam_core.services.entities import ENTITIES
from ipam_core.services.entity import crud
from ipam_core.services.entity.write_batch import Batch, naming_conflicts
from ipam_core.settings import Settings

HOST = Actor(role="admin")
FLEETING = {"fsync": "off", "synchronous_commit": "off", "full_page_writes": "off", "max_wal_size": "1GB"}
SAME_KEY = "update cluster_key set hash_key = '00000000-0000-0000-0000-000000000001'"
"""Pools give addresses by it: with the same one each rehearsal of a plan gives the same."""


@dataclass(eq=False)
class PlanFileError(IpamError):
    """{path}: {reason}"""

    path: str
    reason: str


class Planned(msgspec.Struct, frozen=True):
    """An object, its line in the source, and the `ref` of its parent."""

    ref: str
    family: str
    line: int
    fields: dict[str, Any]
    inside: str | None = None


class PlanFile(msgspec.Struct, frozen=True):
    """Plan in the order in which objects are made. `there`: subnets of the server, with their prefixes, that contain
    some of them. The rest of the file is for people."""

    objects: list[Planned]
    there: list[Planned] = []


def read(path: Path) -> PlanFile:
    """Raise PlanFileError."""
    try:
        return msgspec.json.decode(path.read_bytes(), type=PlanFile)
    except OSError as error:
        raise PlanFileError(str(path), f"cannot be read: {error.strerror}") from None
    except (msgspec.DecodeError, UnicodeDecodeError, RecursionError) as error:
        raise PlanFileError(str(path), f"is not a plan of ipam import --plan: {error}") from None


@contextlib.contextmanager
def scratch_database(settings: Settings) -> Iterator[str]:
    """Provide the DSN of a server of its own with our schema, below the folder for temporary files."""
    folder = Path(tempfile.mkdtemp(prefix="ipam-replay-"))
    folder.chmod(0o711)  # the server runs under another account where we are root
    server = EmbeddedPostgres(folder / "data", settings.postgres_user, FLEETING)
    try:
        dsn = server.start()
        migrate(dsn)
        yield dsn
    finally:
        with contextlib.suppress(ProcessLookupError):
            if server.pid:
                os.kill(server.pid, signal.SIGQUIT)  # its data is deleted
        server.stop()
        shutil.rmtree(folder, ignore_errors=True)


async def make(connection: Connection, plan: PlanFile, path: Path) -> None:
    """Make all objects, in the default tenant. Raises PlanFileError for one that cannot be made; then none is."""
    made = Made()
    try:
        async with naming_conflicts(connection, {}), connection.transaction():
            await connection.execute(SAME_KEY)
            for planned in (*plan.there, *plan.objects):
                made.at = f"{planned.ref} (line {planned.line}): "
                await made.add(connection, planned)
            made.at = ""
            await made.batch.finish(connection)
    except IpamError as error:
        raise PlanFileError(str(path), f"{made.at}{error}") from None
    except KeyError as error:
        raise PlanFileError(str(path), f"{made.at}names {error}, which does not exist") from None


class Made:
    """Objects that exist already: family and id by `ref`, and classes by name.

    `at`: the object that is being created.
    """

    def __init__(self) -> None:
        self.batch = Batch(HOST)
        self.actor = msgspec.structs.replace(HOST, batch=self.batch)
        self.objects: dict[str, tuple[str, str]] = {}
        self.classes: dict[str, str] = {}
        self.at = ""

    async def add(self, connection: Connection, planned: Planned) -> None:
        fields = dict(planned.fields)
        above = self.place(planned, fields)
        if name := fields.pop("class", None):
            fields["class_id"] = self.classes[name]
        entity = ENTITIES[family_of(planned)]
        takes = entity.create if above or not entity.family.alone else entity.create_alone
        model = await crud.create(connection, entity, self.actor, above, decoding.command(fields, takes))
        self.objects[planned.ref] = planned.family, model.id
        if planned.family == "client-classes":
            self.classes[fields["name"]] = model.id

    def place(self, planned: Planned, fields: dict[str, Any]) -> dict[str, str]:
        """Return the parent in its path, or among the fields where the API has it there."""
        if planned.inside is None:
            return {}
        parent, id_ = self.objects[planned.inside]
        key = FAMILIES[parent].key
        if parent in FAMILIES[planned.family].above:
            return {key: id_}
        fields[key] = id_
        return {}


def family_of(planned: Planned) -> str:
    return "global-options" if planned.family == "options" and planned.inside is None else planned.family
