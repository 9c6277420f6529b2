"""Options of RouterOS, which networks and leases name, alone or in sets."""

from api.importers.mikrotik import values
from api.importers.mikrotik.commands import Command
from api.importers.options import Option, decoded
from api.importers.plan import Fields, Planner
from ipam_core.dhcp import registry
from ipam_core.dhcp.kinds.definition import unknown

LISTS = {"gateway": 3, "dns-server": 6, "ntp-server": 42, "wins-server": 44, "caps-manager": 138}
DOMAIN = 15


class Options:
    """Options by name."""

    def __init__(self, planner: Planner) -> None:
        self.planner = planner
        self.named: dict[str, Option] = {}
        self.sets: dict[str, list[str]] = {}

    def define(self, command: Command) -> None:
        name, code, value = (command.text(each) for each in ("name", "code", "value"))
        try:
            number, octets = int(code or ""), values.option_octets(value or "")
        except ValueError:
            command.tell()
            why = (
                f"{value} is filled in when it is sent"
                if "$" in (value or "")
                else f"{value} is not understood"
            )
            self.planner.warn(command.line, "manual", f"option {name}", why)
            return
        definition = registry.lookup(4, number) or unknown(4, number)
        fields: Fields = {"code": number, "payload": decoded(definition, octets.hex())}
        if command.flag_of("force"):
            fields["always_send"] = True
        self.named[name or ""] = Option(command.line, fields)

    def put_together(self, command: Command) -> None:
        self.sets[command.text("name") or ""] = command.list_of("options")

    def read(self, command: Command) -> dict[int, Option]:
        """Return what a network or a lease gives; what it names goes before its own arguments."""
        found: dict[int, Option] = {}
        for argument, code in LISTS.items():
            said = command.list_of(argument)
            if said:
                found[code] = Option(command.line, {"code": code, "payload": {"addresses": said}})
        domain = command.text("domain")
        if domain:
            found[DOMAIN] = Option(command.line, {"code": DOMAIN, "payload": {"string": domain}})
        set_ = command.text("dhcp-option-set")
        for name in [*self.of_set(command, set_), *command.list_of("dhcp-option")]:
            option = self.named.get(name)
            if option is None:
                self.planner.warn(command.line, "dropped", f"option {name}", "is not in the plan, or nowhere")
            else:
                found[option.code] = option
        return found

    def of_set(self, command: Command, name: str | None) -> list[str]:
        if name and name not in self.sets and name != "none":
            self.planner.warn(command.line, "dropped", f"option set {name}", "is nowhere")
        return self.sets.get(name or "", [])
