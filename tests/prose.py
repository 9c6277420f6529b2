"""Sentences that people read: Markdown, comments of configuration files, strings and comments of programs.

Each function yields (sentence, whether it is a heading). Code becomes the word CODE, so that names of fields, commands
and settings are not judged.
"""

import inspect
import io
import re
import tokenize
from collections.abc import Iterable, Iterator
from itertools import chain

Sentence = tuple[str, bool]

FENCE = re.compile(r"^([ \t]*)(```|~~~).*?^\1\2[ \t]*$", re.M | re.S)
COMMENT = re.compile(r"<!--.*?-->", re.S)
SPAN = re.compile(r"(`+)(?!`).+?(?<!`)\1(?!`)", re.S)
LINK = re.compile(r"!?\[([^\]]*)\](?:\([^)]*\)|\[[^\]]*\])")
URL = re.compile(r"\bhttps?://\S+")
MARKS = re.compile(r"\*\*|__|(?<!\w)\*(?=\w)|(?<=\w)\*(?!\w)|<[^>\n]+>")
ITEM = re.compile(r"^\s*(?:[-*+]|\d+[.)])\s+")
# A full stop that ends a sentence: what follows begins one.
END = re.compile(r"(?<=[.!?])[\"')\]]*\s+(?=[\"'(\[]?(?:[A-Z0-9]|CODE))|\s+·\s+")
# An entry of a YAML document, as Ansible's plugins describe themselves with.
ENTRY = re.compile(r"\n\s*(?:- |\w+:(?=\s))")
PLACEHOLDER = re.compile(r"\{[^{}\n]*\}|%[sdr]|\$\{?\w+\}?")
WORD = re.compile(r"[A-Za-z][a-z'-]*")
SQL = re.compile(
    r"^\s*(?:select|insert|update|delete|with|create|alter|drop|copy|do|from|where|and|or|join|set|lock)\b.*[=(;*,]",
    re.S,
)


def sentences(paragraph: str) -> Iterator[str]:
    text = " ".join(paragraph.split())
    return (sentence for sentence in END.split(text) if sentence and WORD.search(sentence))


def bare(text: str) -> str:
    """Return the text without code, addresses and marks."""
    text = LINK.sub(r"\1", SPAN.sub("CODE", COMMENT.sub("", text)))
    return MARKS.sub("", URL.sub("CODE", text))


def markdown(text: str) -> Iterator[Sentence]:
    """Yield the sentences of a Markdown document; a cell of a table is a paragraph, the table's head a heading."""
    for block in re.split(r"\n\s*\n", FENCE.sub("\n\n", text)):
        lines = block.strip("\n").split("\n")
        if all(re.match(r"^(?: {4}|\t)", line) for line in lines):
            continue
        yield from of_table(lines) if is_table(lines) else of_lines(lines)


def is_table(lines: list[str]) -> bool:
    return len(lines) > 1 and bool(re.fullmatch(r"\s*\|?[\s:|-]+\|?\s*", lines[1])) and "|" in lines[0]


def of_table(lines: list[str]) -> Iterator[Sentence]:
    for number, line in enumerate(lines):
        for cell in re.split(r"(?<!\\)\|", bare(line)):
            yield from ((sentence, number < 2) for sentence in sentences(cell))


def of_lines(lines: list[str]) -> Iterator[Sentence]:
    """A paragraph, or the items of a list; headings are of one line."""
    parts: list[str] = []
    for line in lines:
        if line.lstrip().startswith("#"):
            yield from ((sentence, True) for sentence in sentences(bare(line.lstrip("# "))))
        elif ITEM.match(line) or not parts:
            parts.append(ITEM.sub("", line))
        else:
            parts[-1] += "\n" + line
    for part in parts:
        yield from ((sentence, False) for sentence in sentences(bare(part)))


NOTE = re.compile(r"(?:^|\s)# ?(?P<code> {2,}|\w+ = )?(?P<words>.*)$")


def comments(text: str) -> Iterator[Sentence]:
    """Yield the sentences of comments behind `# `; indented lines, and settings with `=`, are code."""
    lines = [NOTE.search(line) for line in text.split("\n")]
    kept = ("" if line is None or line["code"] or is_setting(line[0]) else line["words"] for line in lines)
    for part in "\n".join(kept).split("\n\n"):
        yield from ((sentence, False) for sentence in sentences(bare(part)))


def is_setting(line: str) -> bool:
    """Whether a comment has no blank behind its sign."""
    return bool(re.match(r"\s*#\S", line))


def plain(texts: Iterable[str]) -> Iterator[Sentence]:
    for text in texts:
        for part in re.split(r"\n\s*\n", text):
            yield from ((sentence, False) for sentence in sentences(bare(part)))


def strings(source: str) -> Iterator[Sentence]:
    """Yield the sentences of a program's strings: of Python or Cython, without docstrings and SQL."""
    for text in literals(source):
        if (
            len(WORD.findall(text)) > 2
            and " " in text.strip()
            and not (SQL.match(text) or "(select " in text)
        ):
            yield from plain([PLACEHOLDER.sub("CODE", ENTRY.sub("\n\n", text))])


def literals(source: str) -> Iterator[str]:
    """Yield each string, those that stand side by side as one; docstrings are statements and left out."""
    run: list[str] = []
    statement = True
    for token in tokenize.generate_tokens(io.StringIO(source).readline):
        if token.type == tokenize.STRING:
            run.append(value_of(token.string))
            continue
        if token.type in (tokenize.NL, tokenize.COMMENT):
            continue
        if run and not (statement and token.type == tokenize.NEWLINE):
            yield "".join(run)
        if run or token.type not in (tokenize.INDENT, tokenize.DEDENT):
            statement = token.type in (tokenize.NEWLINE, tokenize.INDENT, tokenize.DEDENT)
        run = []


def value_of(literal: str) -> str:
    """Return what a string literal holds, near enough for reading; bytes hold no prose."""
    found = re.fullmatch(r"(\w*)('''|\"\"\"|'|\")(.*)\2", literal, re.S)
    assert found
    return "" if "b" in found[1].lower() else found[3].replace("\\n", "\n").replace("\\", "")


MARK = re.compile(r"(?:noqa|type:|cython:|pragma|mypy:|ruff:|fmt:|no-cython-lint|!|eslint|@ts-|prettier)")
COLUMNS = re.compile(r"\S {2,}\S")
REMARK = re.compile(r"/\*\*?(?P<block>.*?)\*/|(?:^|(?<=\s))//+ ?(?P<line>[^\n]*)", re.S | re.M)


def remarks(source: str) -> Iterator[Sentence]:
    """Yield the sentences of comments and docstrings, of Python or Cython; a cell of a table is a sentence."""
    for text in chain(hash_comments(source), statements(source)):
        yield from of_remark(text)


def hash_comments(source: str) -> Iterator[str]:
    """Yield each comment; comments in adjacent lines and one column are one text."""
    run: list[str] = []
    below = (0, 0)
    for token in tokenize.generate_tokens(io.StringIO(source).readline):
        if token.type != tokenize.COMMENT:
            continue
        text = token.string.lstrip("#:").removeprefix(" ")
        if token.start != below or token.line[: token.start[1]].strip() or MARK.match(text):
            yield "\n".join(run)
            run = []
        run.append("" if MARK.match(text) else text)
        below = (token.start[0] + 1, token.start[1])
    yield "\n".join(run)


def statements(source: str) -> Iterator[str]:
    """Yield the strings that are a statement: docstrings of modules, classes, functions and fields."""
    tokens = [
        token
        for token in tokenize.generate_tokens(io.StringIO(source).readline)
        if token.type not in (tokenize.NL, tokenize.COMMENT)
    ]
    begins = (tokenize.NEWLINE, tokenize.INDENT, tokenize.DEDENT)
    before = [None, *tokens]
    for last, token, following in zip(before, tokens, tokens[1:], strict=False):
        if (
            token.type == tokenize.STRING
            and following.type == tokenize.NEWLINE
            and (last is None or last.type in begins)
        ):
            yield value_of(token.string)


def slash_remarks(source: str) -> Iterator[Sentence]:
    """Yield the sentences of comments of TypeScript; comments in adjacent lines are one text."""
    run: list[str] = []
    end = 0
    for found in REMARK.finditer(source):
        if run and source[end : found.start()].strip():
            yield from of_remark("\n".join(run))
            run = []
        text = found["line"] if found["block"] is None else re.sub(r"(?m)^\s*\* ?", "", found["block"])
        run.append("" if MARK.match(text.strip()) else text)
        end = found.end()
    yield from of_remark("\n".join(run))


def of_remark(text: str) -> Iterator[Sentence]:
    for paragraph in re.split(r"\n\s*\n", inspect.cleandoc(text)):
        lines = paragraph.split("\n")
        if any(COLUMNS.search(line) or line.startswith(" ") for line in lines):
            yield from plain(cell for line in lines for cell in re.split(r" {2,}", line.strip()))
        else:
            yield from plain([paragraph])
