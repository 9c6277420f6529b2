"""`ipam create FAMILY --help`: the fields of the family, each with its kind, its default and what it means."""

from collections.abc import Container, Iterator, Mapping
from typing import Any

import click

from api.cli.bare import fields_from_options
from api.cli.cells import text
from api.cli.durations import EXAMPLES, duration_text, is_duration
from api.cli.payloads import PARTS, is_option
from api.cli.shapes import LISTS, called, fields_of, referred
from ipam_core.model.base import Command
from ipam_core.model.families import Family, with_article
from ipam_core.model.fields import Field
from ipam_core.model.fields import fields_of as described

OPTION_SCOPES = frozenset(
    (
        "NewSubnet",
        "SubnetFields",
        "NewPool",
        "NewReservation",
        "NewReservationAnywhere",
        "NewClientClass",
        "ClassFields",
    )
)
"""Models of objects that have DHCP options."""

NOWHERE: Mapping[str, Family] = {}


OF_THE_API = {"url": "the address of the API", "token": "the token for the API"}
"""Options of every command that may be taken for fields of the same name."""


class FieldsCommand(click.Command):
    """A command that takes fields of `model`, and before them `places`, which say where an object is made: one of them
    must, if `one_needed`. `needed`: whether any field is, which is not so of changes. `elsewhere`: what options say."""

    def __init__(
        self,
        *arguments: Any,
        model: type[Command],
        places: Mapping[str, Family] = NOWHERE,
        one_needed: bool = False,
        needed: bool = True,
        elsewhere: Container[str] = (),
        **options: Any,
    ) -> None:
        super().__init__(*arguments, **options)
        self.model, self.places, self.one_needed = model, places, one_needed
        self.needed, self.elsewhere = needed, elsewhere

    def parse_args(self, ctx: click.Context, args: list[str]) -> list[str]:
        """Take --FIELD VALUE for FIELD=VALUE, where the command has no such option of its own."""
        fields = fields_of(self.model)
        taken = {option for each in self.get_params(ctx) for option in (*each.opts, *each.secondary_opts)}
        flags = {name for name, field in fields.items() if is_flag(field.schema)}
        rest = super().parse_args(ctx, fields_from_options(args, {*fields, *self.places}, taken, flags))
        self.refuse_options_of_the_api(ctx, fields)
        return rest

    def refuse_options_of_the_api(self, ctx: click.Context, fields: Mapping[str, Any]) -> None:
        """Raise UsageError if an option for the API is given in place of a required field of the same name."""
        given = {word.partition("=")[0] for word in ctx.params.get("told", ())}
        for name, meaning in OF_THE_API.items():
            missing = self.needed and name in fields and fields[name].required and name not in given
            if missing and ctx.params.get(name):
                raise click.UsageError(f"--{name} is {meaning}: write the field as {name}=VALUE", ctx)

    def format_epilog(self, ctx: click.Context, formatter: click.HelpFormatter) -> None:
        with formatter.section("Fields"):
            formatter.write_dl(self.field_lines(), col_max=28)
        super().format_epilog(ctx, formatter)

    def field_lines(self) -> list[tuple[str, str]]:
        """Return each field with its kind, default and meaning; the required ones first."""
        told = [field for field in described(self.model) if field.name not in self.elsewhere]
        told.sort(key=lambda field: not (self.needed and field.required))
        return [*self.lines_of_places(), *map(self.line_of, told), *self.parts()]

    def lines_of_places(self) -> Iterator[tuple[str, str]]:
        where = "the parent of the new object" + ("; one of these is required" if self.one_needed else "")
        for key, place in self.places.items():
            yield key.removesuffix("_id"), f"name of {with_article(place.label)}; {where}"

    def parts(self) -> Iterator[tuple[str, str]]:
        """Yield what stands for several fields, or for a DHCP option."""
        fields = fields_of(self.model)
        if is_option(fields):
            yield "value", "the value of the option, instead of payload: value=10.0.0.1,10.0.0.2"
            yield ", ".join(PARTS), "members of the payload, where value does not fit"
        if {"start_ip", "end_ip"} <= set(fields):
            yield "range", "both ends, instead of start_ip and end_ip: range=10.0.0.10-10.0.0.99"
        if self.model.__name__ in OPTION_SCOPES:
            yield "OPTION", "a DHCP option by name: dns=10.0.0.5, domain-name=example.net; null deletes it"

    def line_of(self, field: Field) -> tuple[str, str]:
        """Return the line of a field: its name and kind; default. Meaning. Meaning."""
        target = referred(field.name)
        kind = kind_of(field, target)
        default = default_of(field) if self.needed or not field.required else ""
        option = f"The option --{field.name} is {OF_THE_API[field.name]}." if field.name in OF_THE_API else ""
        text = " ".join(filter(None, (field.description, option)))
        told = ". ".join(filter(None, ("; ".join(filter(None, (kind, default))), text)))
        return called(field.name), told


def is_flag(schema: Mapping[str, Any]) -> bool:
    return any(each.get("type") == "boolean" for each in (schema, *schema.get("anyOf", ())))


def kind_of(field: Field, target: Family | None) -> str:
    """Return the kind of a value as it is typed, with its unit."""
    if target is None and is_duration(field.name):
        return f"duration: {EXAMPLES}"
    if target is None:
        kind = field.kind.replace("true | false", "yes | no")
        return f"{kind}, separated by commas" if kind.startswith("list of") else kind
    if field.name in LISTS:
        return f"names of {target.label}s, separated by commas"
    return f"name of {with_article(target.label)}"


def default_of(field: Field) -> str:
    """Return the default; empty where the meaning describes it."""
    if field.required:
        return "required"
    if field.default in (None, "", (), []):
        return ""
    return f"default {duration_text(field.default) if is_duration(field.name) else text(field.default)}"
