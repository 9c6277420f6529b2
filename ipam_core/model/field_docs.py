"""Descriptions of fields, for the OpenAPI documents, the page /docs and the command line's help.

The description of a field is the docstring below it: a sentence with units, and what default and null mean. A field
without one has that of its base class, of the same field of another class in its module, or of a class in base.py. So a
command and its response need one description.
"""

import ast
import sys
from collections.abc import Iterator
from functools import cache
from itertools import pairwise
from pathlib import Path

from ipam_core.model import base

Docs = dict[str, dict[str, str]]


def meaning(kind: type, field: str) -> str:
    """Return the description of a model's field; empty: it has none."""
    return next(filter(None, found(kind, field)), "")


def found(kind: type, field: str) -> Iterator[str | None]:
    """Yield the descriptions that apply, the closest first."""
    modules = [docs_of(owner.__module__) for owner in kind.__mro__]
    for owner, docs in zip(kind.__mro__, modules, strict=True):
        yield docs.get(owner.__name__, {}).get(field)
    for docs in (*modules, docs_of(base.__name__)):
        yield from (fields.get(field) for fields in docs.values())


@cache
def docs_of(module: str) -> Docs:
    """Return the docstrings of fields by class, read from the module's source; other modules than models have none."""
    if module.rpartition(".")[0] != __name__.rpartition(".")[0]:
        return {}
    tree = ast.parse(Path(str(sys.modules[module].__file__)).read_text("utf-8"))
    return {node.name: dict(docs_in(node)) for node in tree.body if isinstance(node, ast.ClassDef)}


def docs_in(node: ast.ClassDef) -> Iterator[tuple[str, str]]:
    """Yield each field of a class that has a docstring, with it."""
    for statement, below in pairwise(node.body):
        match statement, below:
            case ast.AnnAssign(target=ast.Name(id=name)), ast.Expr(value=ast.Constant(value=str(text))):
                yield name, " ".join(text.split())
