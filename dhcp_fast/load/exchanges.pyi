from dhcp_fast.load.datagrams import Datagrams
from dhcp_fast.load.ledger import Ledger
from dhcp_fast.load.template import Features

MIXES: dict[str, int]

class Exchanges:
    link: Datagrams
    ledger: Ledger
    def write_templates(self, features: Features) -> None: ...
