"""Sentences of what people read: Markdown, comments of configuration files, strings of programs.

Each function yields (sentence, whether it is a heading). Code becomes the word CODE, so that names of fields, commands
and settings are not judged.
"""

import io
import re
import tokenize
from collections.abc import Iterable, Iterator

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
