from dhcp_fast.engine.compile import SubnetView

class Plan:
    subnets: dict[int, SubnetView]
    default_tenant: int
    def set_relays(self, relays: list[tuple[int, int, int]], default_tenant: int) -> None: ...
    def index(self) -> None: ...
