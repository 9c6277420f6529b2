"""Table of the modules of the kinds, and its direct consequences.

Sub-options hold members of other kinds, so they look here instead of importing the package that imports them; the
package's own module fills the tables.
"""

from __future__ import annotations

from typing import Any, Protocol

from ipam_core.dhcp.kinds import binary
from ipam_core.dhcp.kinds.definition import OptionDef
from ipam_core.dhcp.kinds.misfit import Misfit


class Kind(Protocol):
    """Interface of every kind's module."""

    def shape(self, definition: OptionDef) -> str: ...
    def encode(self, definition: OptionDef, payload: dict[str, Any]) -> bytes: ...
    def decode(self, definition: OptionDef, data: bytes) -> dict[str, Any]: ...
    def text(self, payload: dict[str, Any]) -> str: ...


KINDS: dict[str, Kind] = {}
# By the key that a payload has.
BY_KEY: dict[str, Kind] = {}


def shape(definition: OptionDef) -> str:
    """Return the payload that the option takes, as shown in messages and the API's documentation."""
    return KINDS[definition.kind].shape(definition)


def raw(definition: OptionDef, payload: object) -> bytes:
    """Return the option's data. A payload that does not fit raises Misfit."""
    if not isinstance(payload, dict):
        raise Misfit("the payload is not an object")
    kind = binary if set(payload) == {"hex"} else KINDS[definition.kind]
    return kind.encode(definition, payload)


def payload_text(payload: dict[str, Any]) -> str:
    """Return a payload for people, by its shape alone."""
    return next(BY_KEY[key].text(payload) for key in payload if key in BY_KEY)
