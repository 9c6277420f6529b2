from dhcp_fast.bench.generator.datagrams import Datagrams
from dhcp_fast.bench.generator.ledger import Ledger
from dhcp_fast.bench.generator.template import Features

MIXES: dict[str, int]

class Exchanges:
    link: Datagrams
    ledger: Ledger
    def write_templates(self, features: Features) -> None: ...
