"""The modules of the Ansible collection: one a family that clients write, named as one of its objects is."""

import json
from collections.abc import Iterator, Mapping
from typing import Any

import yaml

from api.generators.ansible_families import BASE, Described, Schema, kind
from api.generators.client_attributes import is_written
from ipam_core.model.families import FAMILIES, Family

WIDTH = 110
COLLECTION = "ipam.ipam"
# Modules that belong to no family.
BY_HAND = ("info",)

MODULE = '''"""Written by `python -m api.generators`; the code is in module_utils/objects.py."""

from __future__ import annotations

DOCUMENTATION = r"""
{documentation}"""

EXAMPLES = r"""
{examples}"""

RETURN = r"""
{returned}"""

from ansible_collections.ipam.ipam.plugins.module_utils.objects import main  # noqa: E402 - below its document

FAMILY = {facts}

if __name__ == "__main__":
    main(FAMILY)
'''

COMMON: dict[str, dict[str, Any]] = {
    "state": {
        "description": "Whether it is to be there.",
        "type": "str",
        "choices": ["present", "absent"],
        "default": "present",
    },
    "id": {
        "description": "Id of the object. Needed if the key is ambiguous or changes.",
        "type": "str",
    },
    "clear": {
        "description": "Fields to set to null. Ansible cannot distinguish null from a field that is left out.",
        "type": "list",
        "elements": "str",
        "default": [],
    },
    "cascade": {
        "description": "With O(state=absent), whether the objects below this one are deleted too.",
        "type": "bool",
        "default": False,
    },
    "update_secret": {
        "description": "Whether to write secrets again. The server never returns them, so the task reports a change.",
        "type": "bool",
        "default": False,
    },
}


def written(document: Schema) -> dict[str, str]:
    """Return the files by their paths in the collection: the modules, and the names of all of them for
    `module_defaults`."""
    families = {module_name(family): family for family in FAMILIES.values() if is_written(family)}
    files = {
        f"plugins/modules/{name}.py": module(name, Described(document, family))
        for name, family in families.items()
    }
    runtime = {
        "requires_ansible": ">=2.16.0",
        "action_groups": {"all": sorted([*families, *BY_HAND])},
    }
    return files | {"meta/runtime.yml": as_yaml(runtime)}


def module_name(family: Family) -> str:
    """Return the module's name: `subnet`; `global_option`, for there is another family of options."""
    shared = sum(each.singular == family.singular for each in FAMILIES.values()) > 1
    return family.plural.removesuffix("s") if shared else family.singular


def module(name: str, described: Described) -> str:
    return MODULE.format(
        documentation=as_yaml(documentation(name, described)),
        examples=as_yaml(list(examples(name, described))),
        returned=as_yaml(returned(described)),
        facts=as_python(described.facts()),
    )


def documentation(name: str, described: Described) -> dict[str, Any]:
    family = described.family
    keys = "; else by ".join(" and ".join(names) for names in described.unique_by())
    return {
        "module": name,
        "short_description": f"Make, change and delete {family.many} of an ipam server",
        "description": [
            f"A {family.label} that matches the task is not changed. Fields that the task does not contain are kept.",
            f"It is identified by O(id), else by {keys}.",
            "Check mode performs a dry run on the server, which reports the errors that the task would have.",
        ],
        "version_added": "0.1.0",
        "author": "The ipam project (@ipam)",
        "options": dict(documented(described)) | common(described),
        "extends_documentation_fragment": f"{COLLECTION}.connection",
    }


def documented(described: Described) -> Iterator[tuple[str, dict[str, Any]]]:
    references = described.references()
    for name, schema in described.fields.items():
        option = described.option(name)
        said = [meaning(schema) or f"Its {name.replace('_', ' ')}."]
        if option in references:
            said.append(f"By {references[option]['key']} or by id.")
        if "default" in schema and schema["default"] not in (None, "", [], {}):
            said.append(f"The server's default is V({json.dumps(schema['default'])}).")
        if name in described.required:
            said.append("Needed to make one.")
        spec = {key: value for key, value in described.spec(name, schema).items() if key != "no_log"}
        yield option, {"description": said} | spec


def meaning(schema: Schema) -> str:
    """Return the description from the document, at the field or at one of its choices."""
    choices = [schema, *schema.get("anyOf", ())]
    return next((" ".join(each["description"].split()) for each in choices if "description" in each), "")


def common(described: Described) -> dict[str, dict[str, Any]]:
    return {name: spec for name, spec in COMMON.items() if name not in described.fields}


def examples(name: str, described: Described) -> Iterator[dict[str, Any]]:
    """Yield examples with the values of the document's own example."""
    parents = [parent.key for parent in described.family.parents[:1]]
    key = sample(described, [*parents, *described.unique_by()[0]])
    usual = EXAMPLE_FIELDS.get(described.family.name, ())
    more = sample(described, [*usual, *sorted(described.required), "description"])
    label = described.family.label
    yield {"name": f"Have the {label}", f"{COLLECTION}.{name}": key | more}
    yield {"name": f"Have no such {label}", f"{COLLECTION}.{name}": key | {"state": "absent"}}


def sample(described: Described, names: list[str]) -> dict[str, Any]:
    path = next(described.create_paths())
    operation = described.document["paths"][BASE + path]["post"]
    shown = operation["responses"]["201"]["content"]["application/json"]["example"]
    wanted = operation["requestBody"]["content"]["application/json"].get("example", {})
    values = {**shown, **wanted}
    references = described.references()
    found = {}
    for name in (each for each in names if each in described.fields):
        option = described.option(name)
        if name in (own := SAMPLES.get(described.family.name, {})):
            found.update({option: own[name]} if own[name] is not None else {})
        elif option in references:
            found[option] = REFERRED[references[option]["collection"]]
        elif values.get(name) is not None:
            found[option] = values[name]
    return found


# Fields in examples of families without required fields beyond the key.
EXAMPLE_FIELDS = {
    "notifications": ("recipients", "severity"),
    "client-classes": ("vendor_class",),
    "pools": ("start_ip", "end_ip"),
    "reservations": ("hostname",),
    "dns-servers": ("address", "key_name", "key_algorithm", "secret"),
}
# Objects that the others refer to, by family; each is the example of its own module.
REFERRED: Mapping[str, str] = {
    "prefixes": "192.0.2.0/24",
    "subnets": "192.0.2.0/24",
    "dns-zones": "example.net",
}
# Values instead of the document's, by family; null leaves a field out. The examples of all modules make one plan.
SAMPLES: Mapping[str, Mapping[str, Any]] = {
    "subnets": {"cidr": "192.0.2.0/24"},
    "dns-servers": {"secret": "{{ vault_tsig_secret }}"},
    "options": {"family": 4},
    "global-options": {"family": 4},
    "option-definitions": {"family": 4, "vendor_space": None},
}


def returned(described: Described) -> dict[str, Any]:
    fields = {
        name: {
            "description": meaning(schema) or f"Its {name.replace('_', ' ')}.",
            "type": kind(described.bare(schema)),
        }
        for name, schema in described.shown.items()
    }
    return {
        "object": {
            "description": f"The {described.family.label} as it is now, or in check mode would be; null where there is "
            "none. A secret that the server makes is shown here once, by the task that makes the object.",
            "returned": "success",
            "type": "dict",
            "contains": fields,
        },
    }


def as_yaml(value: Any) -> str:
    text: str = yaml.safe_dump(value, sort_keys=False, width=WIDTH - 10, allow_unicode=True)
    return text


def as_python(value: Any, indent: int = 0, before: int = len("FAMILY = ")) -> str:
    """Return the value as the formatter would write it: in one line if there is room, else a line an item."""
    text = json.dumps(value) if isinstance(value, str) else repr(value).replace("'", '"')
    if indent + before + len(text) + 1 <= WIDTH or not isinstance(value, dict | list):
        return text
    pad = " " * (indent + 4)
    if isinstance(value, dict):
        lines = [
            f'{pad}"{name}": {as_python(each, indent + 4, len(name) + 4)},' for name, each in value.items()
        ]
        return "\n".join(["{", *lines, " " * indent + "}"])
    return "\n".join(
        ["[", *(f"{pad}{as_python(each, indent + 4, 0)}," for each in value), " " * indent + "]"]
    )
