"""Faults of an outbound connection, as text that contains nothing the other side wrote."""

from enum import StrEnum


class Kind(StrEnum):
    """Cause of a fault."""

    FORBIDDEN = "forbidden"
    NAME = "name"
    CONNECT = "connect"
    TLS = "tls"
    SILENT = "silent"
    PROTOCOL = "protocol"
    SIZE = "size"


class OutboundError(Exception):
    """A connection that did not bring what it was opened for."""

    def __init__(self, kind: Kind, said: str) -> None:
        super().__init__(said)
        self.kind = kind


class ForbiddenAddressError(OutboundError):
    """A destination that may not be reached; nothing was sent there."""

    def __init__(self, said: str) -> None:
        super().__init__(Kind.FORBIDDEN, said)
