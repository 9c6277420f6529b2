"""Cells of CSV that spreadsheets may open: a text that they would take for a formula begins with an apostrophe.

Texts that begin with apostrophes and then a formula get one more, so that `unguarded` gives back any guarded text
(decisions: CSV).
"""

import re
from typing import Any

FORMULA = re.compile(r"'*[=+\-@\t\r]")


def guarded(value: Any) -> Any:
    """Return a cell that no spreadsheet evaluates; numbers stay as they are."""
    return f"'{value}" if isinstance(value, str) and FORMULA.match(value) else value


def unguarded(cell: str) -> str:
    """Return the text that was guarded, or the cell itself."""
    return cell[1:] if cell.startswith("'") and FORMULA.match(cell) else cell
