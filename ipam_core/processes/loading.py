"""Imports of a command: a process does little else in its first half second.

structlog and httpx load rich and pygments where they find them, for tracebacks in color and a command of their own. Our
logs are JSON lines and we have commands, so these two are loaded as on a machine that lacks them. Loaded modules stay,
so the garbage collector ignores them, both meanwhile and afterwards.
"""

import contextlib
import gc
import sys
from collections.abc import Iterator, Sequence
from importlib.machinery import ModuleSpec, PathFinder, SourceFileLoader
from types import ModuleType
from typing import Any

PLAIN = ("structlog.dev", "httpx._main")
WITHOUT = ("rich", "pygments")


class Plain(SourceFileLoader):
    """Loader of a module as where WITHOUT are not installed."""

    def exec_module(self, module: ModuleType) -> None:
        hidden = [name for name in WITHOUT if name not in sys.modules]
        modules: dict[str, Any] = sys.modules
        modules.update(dict.fromkeys(hidden))  # None: the import fails as if the module were not installed
        try:
            super().exec_module(module)
        finally:
            for name in hidden:
                del sys.modules[name]


class Finder:
    """Finder that has PLAIN loaded so; everything else is found as ever."""

    @staticmethod
    def find_spec(
        name: str, path: Sequence[str] | None = None, target: ModuleType | None = None
    ) -> ModuleSpec | None:
        spec = PathFinder.find_spec(name, path, target) if name in PLAIN else None
        if spec is not None and isinstance(spec.loader, SourceFileLoader):
            spec.loader = Plain(spec.loader.name, spec.loader.path)
        return spec


def begin() -> None:
    """Mark this process as one command's, to its end."""
    sys.meta_path.insert(0, Finder)


@contextlib.contextmanager
def loading() -> Iterator[None]:
    """Wrap the imports of a command; outside of its own process do nothing."""
    if Finder not in sys.meta_path:
        yield
        return
    gc.disable()
    yield
    gc.freeze()
    gc.enable()
