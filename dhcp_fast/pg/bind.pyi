PARAMETER_OIDS: tuple[int, ...]

def parse_message(name: bytes, query: bytes) -> bytes: ...
def notice_fields(body: bytes) -> dict[str, str]: ...

class BatchEncoder:
    def know_types(self, operation: int, association: int, device: int) -> None: ...

class AnswerReader:
    ready: bool
    warned: bool
    remark: str | None
    sqlstate: str | None
    error: str | None
    table: str | None
    constraint: str | None
    def reset(self) -> None: ...
    def feed(self, data: bytes) -> bool: ...
