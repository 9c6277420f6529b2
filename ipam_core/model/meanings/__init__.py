"""What the fields of the models mean to an operator: a sentence each, with units, and what default and null are.
The OpenAPI documents, the page /docs and the command line's help take them from here.

A sentence stands under the field's name in the file that bears the name of the model's module, for what clients write
and what they read alike; under Class.field where one class means something else by it. What many families share stands
in shared.py.
"""

from collections.abc import Iterator
from functools import cache
from importlib import import_module
from importlib.util import find_spec

MODELS = "ipam_core.model"


def meaning(kind: type, field: str) -> str:
    """The sentence on a field of a model; empty where there is none."""
    return next(filter(None, found(kind, field)), "")


def found(kind: type, field: str) -> Iterator[str]:
    for owner in kind.__mro__:
        yield table(owner.__module__).get(f"{owner.__name__}.{field}", "")
    for owner in kind.__mro__:  # a field that a model inherits is described beside the model that has it
        yield table(owner.__module__).get(field, "")
    yield table(f"{MODELS}.shared").get(field, "")


@cache
def table(module: str) -> dict[str, str]:
    """The sentences on the models of a module."""
    package, _, name = module.rpartition(".")
    here = f"{__name__}.{name}"
    if package != MODELS or find_spec(here) is None:
        return {}
    sentences: dict[str, str] = import_module(here).MEANINGS
    return sentences
