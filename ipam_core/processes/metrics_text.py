"""Merge of the metrics of several processes into one page of Prometheus text.

The format requires the samples of a family together, under one HELP and one TYPE line. Each sample gets the label
`role`, which distinguishes the processes.
"""

from collections.abc import Mapping

SUFFIXES = ("", "_total", "_created", "_bucket", "_sum", "_count", "_info")


def join(pages: Mapping[str, str]) -> str:
    """Join `pages` by role; the families keep the order in which they first appear."""
    families: dict[str, tuple[list[str], list[str]]] = {}
    for role, page in pages.items():
        for name, line in by_family(page):
            notes, samples = families.setdefault(name, ([], []))
            if not line.startswith("#"):
                samples.append(labelled(line, role))
            elif line.split(maxsplit=2)[:2] not in [note.split(maxsplit=2)[:2] for note in notes]:
                notes.append(line)
    return "".join(f"{line}\n" for notes, samples in families.values() for line in notes + samples)


def by_family(page: str) -> list[tuple[str, str]]:
    """Return each line that counts, with its family: the one that the last HELP or TYPE line opened, if it fits."""
    found, family = [], ""
    for line in page.splitlines():
        words = line.split(maxsplit=3)
        if words[:2] in (["#", "HELP"], ["#", "TYPE"]) and len(words) > 2:
            family = words[2]
            found.append((family, line))
        elif words and not line.startswith("#"):
            name = line.split("{", 1)[0].split(maxsplit=1)[0]
            found.append((family if belongs(name, family) else name, line))
    return found


def belongs(name: str, family: str) -> bool:
    return family != "" and name.startswith(family) and name.removeprefix(family) in SUFFIXES


def labelled(sample: str, role: str) -> str:
    brace, space = sample.find("{"), sample.find(" ")
    if brace == -1 or -1 < space < brace:
        name, _, value = sample.partition(" ")
        return f'{name}{{role="{role}"}} {value}'
    name, rest = sample[:brace], sample[brace + 1 :]
    if rest.startswith('role="') or ',role="' in rest:
        return sample
    return f'{name}{{role="{role}"{"" if rest.startswith("}") else ","}{rest}'
