"""ISC dhclient."""

import time
from pathlib import Path

from system.clients.client import EVENT_SECONDS, Client

ASKED = (
    "subnet-mask, routers, domain-name-servers, domain-name, domain-search, ntp-servers, interface-mtu, "
    "host-name, rfc3442-classless-static-routes"
)
CONF = f"""timeout 20;
retry 2;
initial-delay 0;
initial-interval 1;
option rfc3442-classless-static-routes code 121 = array of unsigned integer 8;
request {ASKED};
"""


class Dhclient(Client):
    """It cannot be asked to renew, so `renew` waits for its T1: give it a short one. `client_id` is text."""

    program = "dhclient"

    def _command(self) -> list[str | Path]:
        return [self.path, "-4", "-d", "-v", *self._files(), self.interface]

    def _files(self) -> list[str | Path]:
        config, leases = self.folder / "dhclient.conf", self.folder / "dhclient.leases"
        return ["-cf", config, "-lf", leases, "-pf", self.folder / "dhclient.pid", "-sf", self.hook]

    def _forget(self) -> None:
        (self.folder / "dhclient.leases").write_text("")
        named = f'send dhcp-client-identifier "{self.client_id}";\n' if self.client_id else ""
        (self.folder / "dhclient.conf").write_text(CONF + named)

    def _ask_to_renew(self) -> None:
        """Nothing: it renews at T1."""

    def lose_power(self) -> None:
        """Not before it says that it is bound: it writes its lease down when the hook has run."""
        deadline = time.monotonic() + EVENT_SECONDS
        while "bound to" not in self.log.read_text(errors="replace"):
            assert time.monotonic() < deadline, "dhclient never said that it is bound"
            time.sleep(0.05)
        super().lose_power()

    def _ask_to_release(self) -> None:
        self.namespace.run(self.path, "-4", "-r", *self._files(), self.interface)
