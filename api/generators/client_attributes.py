"""The families as attributes of both clients, for type checkers and editors: at run time they come from the table."""

from collections.abc import Iterable, Iterator

from ipam_core.model.families import FAMILIES, OTHERS, Family

HEAD = '''"""The families as attributes of both clients, with what their calls answer, for type checkers and editors.

Written by `python -m api.generators` from the family table.
"""
'''


def written() -> str:
    return "\n".join([HEAD, *imports(), *attributes("", "Client"), *attributes("Async", "AsyncClient"), ""])


def imports() -> Iterator[str]:
    yield "from api.client.async_collections import AsyncCollection, AsyncReadable"
    yield "from api.client.collections import Collection, Readable"
    modules: dict[str, set[str]] = {}
    for shape in shapes(FAMILIES.values()):
        module, _, name = shape.rpartition(".")
        modules.setdefault(module, set()).add(name)
    for module, names in sorted(modules.items()):
        yield f"from ipam_core.model.{module} import {', '.join(sorted(names))}"


def shapes(families: Iterable[Family]) -> Iterator[str]:
    for family in families:
        yield family.shape
        yield family.row_shape or family.shape
        if is_written(family):
            yield family.made_shape or family.shape


def attributes(kind: str, client: str) -> Iterator[str]:
    yield from ("", "", f"class {kind}Attributes:", f'    """Of {client}."""', "")
    for family in sorted(FAMILIES.values(), key=lambda each: each.plural):
        whole = "Collection" if is_written(family) else "Readable"
        answers = ", ".join(shape.rpartition(".")[2] for shape in shapes([family]))
        yield f"    {family.plural}: {kind}{whole}[{answers}]"


def is_written(family: Family) -> bool:
    """Return whether clients make, change and delete its objects."""
    return family not in OTHERS or family.name == "global-options"
