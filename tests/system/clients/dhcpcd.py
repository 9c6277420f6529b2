"""dhcpcd as Debian sets it up."""

from pathlib import Path

from system.clients.client import READ, TELL, Client
from system.namespaces import Namespace

ASKED = (
    "subnet_mask, routers, domain_name_servers, domain_name, domain_search, ntp_servers, interface_mtu, "
    "host_name, classless_static_routes"
)
CONF = f"""{{named}}
nodev
nodelay
noipv6rs
{{cautious}}reboot 1
option {ASKED}
"""


class Dhcpcd(Client):
    """It sends IAID and DUID as client identifier (RFC 4361) unless told one, and configures the interface itself.

    With `arp` it asks the wire before it uses an address (RFC 2131 section 4.4.1), which takes seconds.
    """

    program = "dhcpcd"
    hook_parts = (READ, TELL)

    def __init__(
        self, namespace: Namespace, interface: str, folder: Path, client_id: str = "", arp: bool = False
    ) -> None:
        super().__init__(namespace, interface, folder, client_id)
        self.arp = arp
        for parent in ("/run", "/var/lib"):
            namespace.run("sh", "-euc", GRAFT, "graft", parent, "dhcpcd", folder / "stage")

    def _command(self) -> list[str | Path]:
        return [self.path, *self._files(), "-4", "-B", "-d", self.interface]

    def _files(self) -> list[str | Path]:
        return ["-f", self.folder / "dhcpcd.conf", "-c", self.hook]

    def _forget(self) -> None:
        for parent in ("/run", "/var/lib"):
            self.namespace.run("mount", "-n", "-t", "tmpfs", "tmpfs", f"{parent}/dhcpcd")
        named = f"clientid {self.client_id}" if self.client_id else "duid"
        cautious = "" if self.arp else "noarp\n"
        (self.folder / "dhcpcd.conf").write_text(CONF.format(named=named, cautious=cautious))

    def _ask_to_renew(self) -> None:
        self.namespace.run(self.path, *self._files(), "-4", "-N", self.interface)

    def _ask_to_release(self) -> None:
        self.namespace.run(self.path, *self._files(), "-4", "-k", self.interface)


# Makes folder $1/$2 in this mount namespace alone: in $1's place a tmpfs shows what $1 holds, and $2.
# dhcpcd's paths are compiled in and the machine's folders are not ours; with -n mount notes nothing there.
GRAFT = """
[ ! -d "$1/$2" ] || exit 0
mkdir -p "$3"
mount -n -t tmpfs tmpfs "$3"
for entry in "$1"/* "$1"/.[!.]*; do
    new="$3/${entry##*/}"
    if [ -L "$entry" ]; then cp -P "$entry" "$new"
    elif [ -d "$entry" ]; then mkdir "$new"; mount -n --rbind "$entry" "$new"
    elif [ -e "$entry" ]; then : >"$new"; mount -n --bind "$entry" "$new"
    fi
done
mkdir "$3/$2"
mount -n --move "$3" "$1"
"""
