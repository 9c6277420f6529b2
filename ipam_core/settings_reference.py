"""Generator of docs/reference/settings.md from the fields of `Settings`: `python -m ipam_core.settings_reference
docs`."""

import ast
import sys
from collections.abc import Iterator
from pathlib import Path

from ipam_core import settings
from ipam_core.host_labels import BLOCKED_NAMES

NAME = "reference/settings.md"

# Defaults that are made elsewhere.
NAMED = {
    "msgspec.field(default_factory=default_data_dir)": "/var/lib/ipam for root, else ~/.local/share/ipam",
    "BLOCKED_NAMES": ",".join(BLOCKED_NAMES),
}

HEAD = """# Settings

Each process reads a TOML file (`ipam --config FILE COMMAND`; the Debian package installs
`/etc/ipam/ipam.toml`) and then `IPAM_*` environment variables, which override the file. Lists are
comma-separated in variables. Unknown names and values that cannot be used are errors that name the
setting. [deploy/ipam.toml](../../deploy/ipam.toml) is a commented file to begin with.

This page is generated from `ipam_core/settings.py`.

| Setting | Variable | Default | Meaning |
|---|---|---|---|
"""


def text() -> str:
    return HEAD + "".join(rows())


def rows() -> Iterator[str]:
    for name, default, meaning in fields():
        cells = (f"`{name}`", f"`IPAM_{name.upper()}`", default, meaning)
        yield f"| {' | '.join(cell.replace('|', chr(92) + '|') for cell in cells)} |\n"


def fields() -> Iterator[tuple[str, str, str]]:
    """Yield each setting's name, its default as code, and what it means."""
    tree = ast.parse(Path(settings.__file__).read_text("utf-8"))
    (made,) = [node for node in tree.body if isinstance(node, ast.ClassDef) and node.name == "Settings"]
    for node, below in zip(made.body, made.body[1:], strict=False):
        meaning = text_of(below)
        if isinstance(node, ast.AnnAssign) and isinstance(node.target, ast.Name) and meaning:
            yield node.target.id, default_of(node.value), " ".join(meaning.split())


def text_of(node: ast.stmt) -> str:
    """Return the text of a statement that is only a string, or an empty text."""
    if (
        isinstance(node, ast.Expr)
        and isinstance(node.value, ast.Constant)
        and isinstance(node.value.value, str)
    ):
        return node.value.value
    return ""


def default_of(node: ast.expr | None) -> str:
    """Return the default as people read it: none, a number, a text or addresses."""
    if node is None:
        return "required"
    if (named := ast.unparse(node)) in NAMED:
        return f"`{NAMED[named]}`"
    try:
        value = ast.literal_eval(node)
    except ValueError:
        return f"`{shown(node)}`"
    if isinstance(value, tuple):
        value = ",".join(map(str, value))
    return "none" if value in (None, "") else f"`{str(value).lower() if isinstance(value, bool) else value}`"


def shown(node: ast.expr) -> str:
    """Return an endpoint as ADDRESS:PORT, several with commas, anything else as code."""
    if isinstance(node, ast.Tuple):
        return ", ".join(map(shown, node.elts))
    if isinstance(node, ast.Call) and len(node.args) == 2:
        host, port = map(ast.literal_eval, node.args)
        return f"[{host}]:{port}" if ":" in host else f"{host}:{port}"
    return ast.unparse(node)


def main() -> None:
    (Path(sys.argv[1]) / NAME).write_text(text(), "utf-8")


if __name__ == "__main__":
    main()
