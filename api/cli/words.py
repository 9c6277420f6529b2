"""Words that people type for commands: other verbs, singular nouns, underscores, and short names of families.

`route` rewrites the words of a command line, so that `ipam subnet ls`, `ipam list subnets` and `ipam rm subnet lab`
reach the commands that exist. It loads no family and no model.
"""

from collections.abc import Collection, Iterable

from ipam_core.model.families import FAMILIES

VERBS = {
    "create": ("add", "new", "make"),
    "update": ("set", "edit", "change", "modify"),
    "delete": ("rm", "remove", "del", "destroy", "revoke"),
    "list": ("ls",),
    "show": ("get", "view", "describe", "info"),
}
"""The verbs of a family, each with other words for it."""

FAMILY_WORDS = {
    "class": "client-classes",
    "classes": "client-classes",
    "definition": "option-definitions",
    "definitions": "option-definitions",
    "exclusion": "excludes",
    "exclusions": "excludes",
    "record": "dns-records",
    "records": "dns-records",
    "relay": "trusted-relays",
    "relays": "trusted-relays",
    "updates": "ddns-updates",
    "zone": "dns-zones",
    "zones": "dns-zones",
}

COMMANDS = {
    "dump": ("export",),
    "exclude": ("excludes",),
    "find": ("search",),
    "follow": ("tail",),
    "list": ("get",),
    "ls": ("get",),
    "locate": ("where",),
    "log": ("audit",),
    "logs": ("audit",),
    "next": ("next-subnet",),
    "revert": ("import", "undo"),
    "run": ("up",),
    "show": ("get",),
    "start": ("up",),
    "view": ("get",),
    "describe": ("get",),
    "watch": ("tail",),
    "whois": ("who",),
    "drain": ("nodes", "drain"),
    "undrain": ("nodes", "undrain"),
}
"""Words for commands, with the words that reach them."""

USE = ("utilisation", "utilization", "usage")
INSTEAD = {
    **dict.fromkeys(("grow", "shrink", "resize", "expand", "extend"), "ipam update {} NAME cidr=NETWORK"),
    **dict.fromkeys(USE, "ipam {} show NAME"),
}
"""Words for what other commands do, with those."""

OTHER_VERBS = {other: verb for verb, others in VERBS.items() for other in others}
SINGULARS = {family.singular.replace("_", "-"): name for name, family in FAMILIES.items()} | {
    "option": "options"
}


def family_named(word: str) -> str | None:
    """Return the name of the family that a word means: plural, singular or short."""
    plain = word.lower().replace("_", "-")
    if plain in FAMILIES:
        return plain
    return SINGULARS.get(plain) or FAMILY_WORDS.get(plain)


def verb_named(word: str, known: Collection[str]) -> str:
    """Return the verb that a word means, among those that a family has; the word itself if it means none."""
    if word in known:
        return word
    verb = OTHER_VERBS.get(word, word)
    return verb if verb in known else word


def is_verb(word: str) -> bool:
    return word in VERBS or word in OTHER_VERBS or word.startswith("-")


def route(words: list[str], known: Collection[str]) -> list[str]:
    """Return a command line with the words that the commands have. `known`: the commands that are installed."""
    first, *rest = words
    if found := of_leases(words) or of_space(words):
        return found
    if first in known:
        return words
    plain = first.lower().replace("_", "-")
    if plain in known:
        return [plain, *rest]
    if plain == "exclude" and rest and not is_verb(rest[0]):
        return ["excludes", "create", *rest]
    if plain in COMMANDS:
        return [*COMMANDS[plain], *rest]
    if plain in OTHER_VERBS:
        return [OTHER_VERBS[plain], *rest]
    if family := family_named(plain):
        return [family, *rest]
    if rest and (family := family_named(rest[0])):  # `rotate token ci`
        return [family, first, *rest[1:]]
    return words


def of_leases(words: list[str]) -> list[str]:
    """Return `release` for the deletion of leases, which the DHCP servers make; nothing for other words."""
    for verb, family in [words[:2], words[1::-1]] if len(words) > 1 else []:
        if family_named(family) == "leases" and OTHER_VERBS.get(verb, verb) in (
            "delete",
            "release",
            "reserve",
        ):
            return ["reserve" if verb == "reserve" else "release", *words[2:]]
    return []


def of_space(words: list[str]) -> list[str]:
    """Return the command for `next subnet PREFIX` and `utilisation [SUBNET]`; nothing for other words."""
    first, *rest = words
    if first in ("next", "next-subnet") and rest and family_named(rest[0]) == "subnets":
        return ["next-subnet", *rest[1:]]
    if first in USE:
        return ["subnets", "show", *rest] if rest and not rest[0].startswith("-") else ["status", *rest]
    return []


def likely(name: str, known: Iterable[str], cutoff: float = 0.6) -> str:
    """Return a question for the name that was probably meant; nothing if none is near. `cutoff`: how near, up to 1."""
    from difflib import get_close_matches

    close = get_close_matches(name, known, n=1, cutoff=cutoff)
    return f"; did you mean {close[0]}?" if close else ""
