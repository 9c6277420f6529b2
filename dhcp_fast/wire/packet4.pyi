from typing import Any

FAULTS: tuple[str, ...]

def inspect4(data: bytes) -> str | dict[str, Any]: ...
