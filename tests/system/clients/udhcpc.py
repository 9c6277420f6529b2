"""BusyBox udhcpc, the client of small devices."""

from pathlib import Path

from system.clients.client import Client
from system.namespaces import Namespace

ASKED = ("search", "staticroutes", "mtu", "ntpsrv", "hostname", "domain")


class Udhcpc(Client):
    """It sends its MAC as client identifier, unless `more` says -C; `client_id` is hex. It has no memory."""

    program = "udhcpc"

    def __init__(
        self,
        namespace: Namespace,
        interface: str,
        folder: Path,
        client_id: str = "",
        more: tuple[str, ...] = (),
    ) -> None:
        super().__init__(namespace, interface, folder, client_id)
        self.more = more

    def _command(self) -> list[str | Path]:
        where: list[str | Path] = ["-i", self.interface, "-s", self.hook, "-p", self.folder / "udhcpc.pid"]
        asked = [word for name in ASKED for word in ("-O", name)]
        named = ["-x", f"0x3d:{self.client_id}"] if self.client_id else []
        return [self.path, "udhcpc", "-f", *where, "-t", "10", "-T", "1", *asked, *named, *self.more]

    def _forget(self) -> None:
        """It remembers nothing between runs."""

    def _ask_to_renew(self) -> None:
        self._signal("-USR1")

    def _ask_to_release(self) -> None:
        seen = self._count()
        self._signal("-USR2")
        self._await_event("deconfig", seen)

    def _signal(self, name: str) -> None:
        assert self.process is not None
        self.namespace.run("kill", name, str(self.process.pid))
