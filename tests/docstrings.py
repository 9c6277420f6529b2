"""Docstrings of Python and Cython, and the words with which they may begin.

The docstring of a function begins with an imperative verb, that of a class, module or property with a
noun phrase. Texts for users have rules of their own: messages of errors, and the help of commands.
"""

import ast
import re
from collections.abc import Iterator
from pathlib import Path
from typing import NamedTuple

VERBS = """
Abandon Accept Add Admit Advance Allocate Allow Answer Append Apply Ask Attach Beat Begin Benchmark Bind Blame Bound
Bring Build Call Cancel Catch Change Check Choose Claim Clear Close Collect Commit Compare Compile Connect Continue
Copy Correct Count Create Decide Decline Decode Delete Deliver Deny Deregister Disable Discard Divide Do Doubt Draw
Drive Drop Dump Echo Encode End Enter Exchange Execute Exit Explain Export Fail Fill Find Finish Fix Follow Forbid
Forget Forward Free Gather Get Give Go Grant Grow Guess Handle Hold Identify Ignore Inherit Insert Install Join Judge
Keep Lapse Lay Learn Lease Leave Let Link List Listen Load Lock Log Look Lower Make Mark Measure Meet Merge Move Name
Note Notice Notify Number Offer Open Order Pack Parse Pass Pause Perform Pick Ping Point Prefetch Prepare Print Probe
Provide Prune Publish Put Quarantine Query Queue Raise Read Receive Record Recover Redirect Refresh Refuse Rehearse
Relay Release Reload Remember Remove Rename Renew Repeat Replace Report Request Require Reserve Return Revoke Run
Sample Schedule Seal Search See Select Send Serve Set Settle Share Shorten Show Sign Skip Sleep Split Spread Start
Step Stop Summarize Supersede Sweep Switch Take Tend Terminate Test Thin Tidy Trace Try Turn Type Undo Update Use
Visit Wait Walk Warn Watch Widen Withdraw Withhold Wrap Write Yield
"""

# Words that begin no noun phrase: clauses, fragments that continue the name, and what a class or module does.
NO_NOUN = """
after all always and any as at because before between but by each every everybody explains for from gathers has hears
holds how if in it joins keeps knows loads most no nobody none not nothing of on one or over raises reads says sends
serves since some something speaks takes tell tells than that there these this those to until up waits what whatever
when where whether which who whoever whom whose why with without writes
"""

CYTHON = re.compile(
    r"^[ \t]*((?:cdef|cpdef|ctypedef|async|def|class)\b[^\n]*"
    r'(?:\n(?!\s*(?:def|cdef|cpdef|class|async|@)\b)(?![^\n]*""")[^\n]*){0,6}?:)[ \t]*\n[ \t]+"""(.*?)"""',
    re.S | re.M,
)
TYPE = re.compile(r"(?:c(?:p|type)?def )*(?:packed )?(?:class|struct|union|enum)\b")
MODULE = re.compile(r'(?:#[^\n]*\n|\s)*"""(.*?)"""', re.S)


class Docstring(NamedTuple):
    """A docstring with its kind: `function`, `class`, `module` or `property`."""

    kind: str
    text: str


def docstrings(path: Path) -> Iterator[Docstring]:
    """Yield the docstrings of a file."""
    source = path.read_text("utf-8")
    yield from of_python(source) if path.suffix == ".py" else of_cython(source)


def of_python(source: str) -> Iterator[Docstring]:
    tree = ast.parse(source)
    for node in ast.walk(tree):
        if not isinstance(node, ast.Module | ast.ClassDef | ast.FunctionDef | ast.AsyncFunctionDef):
            continue
        text = ast.get_docstring(node)
        if text and not is_read_by_users(node):
            yield Docstring(kind_of(node), text)


def kind_of(node: ast.AST) -> str:
    if isinstance(node, ast.Module):
        return "module"
    if isinstance(node, ast.ClassDef):
        return "class"
    return "property" if any("property" in text for text in decorators_of(node)) else "function"


def decorators_of(node: ast.AST) -> list[str]:
    return [ast.unparse(each) for each in getattr(node, "decorator_list", ())]


def is_read_by_users(node: ast.AST) -> bool:
    """Return whether a docstring is the message of an error or the help of a command."""
    if isinstance(node, ast.ClassDef):
        return any(re.search(r"Error|Exception", ast.unparse(base)) for base in node.bases)
    return any(re.search(r"command|group", text) for text in decorators_of(node))


def of_cython(source: str) -> Iterator[Docstring]:
    if found := MODULE.match(source):
        yield Docstring("module", found[1])
    for found in CYTHON.finditer(source):
        if not found[1].startswith("cdef extern"):  # C code, not a docstring
            yield Docstring("class" if TYPE.match(found[1]) else "function", found[2])


def is_plain(docstring: Docstring) -> bool:
    """Return whether a docstring begins with a verb, or with a noun phrase, as its kind needs."""
    found = re.match(r"[^\w`]*([\w'-]*)", docstring.text)
    word = found[1] if found else ""
    return word in VERBS.split() if docstring.kind == "function" else word.lower() not in NO_NOUN.split()
