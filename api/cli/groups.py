"""Groups of commands about families: a verb before the family, and a family before its verbs."""

from collections.abc import Callable

import click

from api.cli.words import INSTEAD, VERBS, family_named, likely, verb_named
from ipam_core.model.families import FAMILIES, Family

Make = Callable[[Family], click.Command]
Fits = Callable[[Family], bool]


CLOSE = 0.8
"""How near a word must be to a family to be taken for a misspelling of it, and not for an object's name."""


class ByFamily(click.Group):
    """A verb, with a command for each family that it fits; each is made when it is asked for."""

    def __init__(self, name: str, make: Make, fits: Fits, help_: str) -> None:
        super().__init__(name, help=help_, subcommand_metavar="FAMILY [ARGS]...")
        self.make, self.fits = make, fits

    def list_commands(self, ctx: click.Context) -> list[str]:  # noqa: ARG002 - click's signature
        return sorted(name for name, family in FAMILIES.items() if self.fits(family))

    def get_command(self, ctx: click.Context, name: str) -> click.Command | None:  # noqa: ARG002 - likewise
        family = FAMILIES.get(name)
        return self.make(family) if family and self.fits(family) else None

    def resolve_command(
        self, ctx: click.Context, args: list[str]
    ) -> tuple[str | None, click.Command | None, list[str]]:
        known = self.list_commands(ctx)
        family = family_named(args[0])
        if family in known:
            return super().resolve_command(ctx, [family, *args[1:]])
        if not args[0].startswith("-") and not ctx.resilient_parsing:
            return self.nameless(ctx, args, known)
        return super().resolve_command(ctx, args)

    def nameless(
        self, ctx: click.Context, args: list[str], known: list[str]
    ) -> tuple[str | None, click.Command | None, list[str]]:
        """Return the command for a word that is no family: `get` looks for an object of that name."""
        if self.name == "get" and is_alone(args) and not likely(args[0], known, CLOSE):
            from api.cli.anything import anything

            return anything.name, anything, args
        return ctx.fail(f"cannot {self.name} {args[0]!r}: there is no such family{likely(args[0], known)}")


class OfFamily(click.Group):
    """A family by its own name; with nothing but options it is listed. A word that is no verb names an object: `named`
    is the command that shows it."""

    named: click.Command | None = None

    def parse_args(self, ctx: click.Context, args: list[str]) -> list[str]:
        own = bool(args) and args[0].partition("=")[0] in ("--help", "-h", "--config")
        listed = not args or (args[0].startswith("-") and not own)
        if not ctx.resilient_parsing:  # which is that of completion
            if listed:
                args = ["list", *args]
            elif args[0].startswith("--config") and len(args) == (1 if "=" in args[0] else 2):
                args = [*args, "list"]
        return super().parse_args(ctx, args)

    def resolve_command(
        self, ctx: click.Context, args: list[str]
    ) -> tuple[str | None, click.Command | None, list[str]]:
        known = self.list_commands(ctx)
        verb = verb_named(args[0], known)
        if verb in known or args[0].startswith("-") or ctx.resilient_parsing:
            return super().resolve_command(ctx, [verb, *args[1:]])
        if verb in VERBS or "=" in args[0] or is_no_name(args):
            ctx.fail(self.refusal(args[0], known))
        if self.named is None:
            return super().resolve_command(ctx, args)
        return args[0], self.named, args

    def refusal(self, word: str, known: list[str]) -> str:
        mend = INSTEAD.get(word, "").format(self.name)
        return f"{self.name} has no command {word}; " + (
            f"use {mend}" if mend else f"commands: {', '.join(known)}"
        )


def is_no_name(args: list[str]) -> bool:
    """Return whether the first word is a command that does not exist, and no object's name, behind which only options
    stand."""
    words = [word for word in args[1:2] if not word.startswith("-")]
    return bool(words) or (args[0] in INSTEAD and args[1:] in (["--help"], ["-h"]))


def is_alone(args: list[str]) -> bool:
    """Return whether a word has nothing behind it but options."""
    return len(args) == 1 or args[1].startswith("-")
