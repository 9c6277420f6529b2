"""A site file as a document whose mappings know in which lines they stand."""

from pathlib import Path

from api.cli.site.faults import Fault, SiteError
from ipam_core import untrusted_yaml
from ipam_core.untrusted_yaml import MOST_OCTETS, Entry, YamlError


def load(path: Path) -> Entry:
    """Raise SiteError for what is no YAML, no mapping, or beyond the limits."""
    try:
        document = untrusted_yaml.load(read_text(path))
    except YamlError as error:
        raise SiteError(str(path), [Fault(error.line, "", "", error.reason)]) from None
    if not isinstance(document, Entry):
        raise SiteError(str(path), [Fault(1, "", "", "must be a mapping, such as prefixes: [...]")])
    return document


def read_text(path: Path) -> str:
    """Read at most one octet more than permitted, whatever the file is: a pipe has no size."""
    with path.open("rb") as file:
        data = file.read(MOST_OCTETS + 1)
    try:
        return data.decode("utf-8")
    except UnicodeDecodeError as error:
        line = data[: error.start].count(b"\n") + 1
        raise YamlError(line, f"is not UTF-8: octet {data[error.start]:#04x}") from None
