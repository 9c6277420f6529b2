"""An object as a task wants it: found by what makes it unique, made, changed or deleted, and rehearsed in check mode.

What a change would come to says the server itself, in a bulk that keeps nothing: so values in another notation change
nothing, and check mode is refused what the task would be refused. FAMILY, which each module brings, says:

    collection item      paths of the list and of one object
    label                what people call one
    keys                 what makes one unique: the first whose first field is given counts
    nullable             fields that are null where they do not apply: not given means null when one is looked for
    filters              by which fields the server filters its list
    references           option -> field, collection and key of what it refers to, by id or key
    parents              references below which one is made, and the path there; `alone`: below none too
    in_tenant            whether each stands in one tenant, which a task may leave out
    in_bulk              whether the server can rehearse its changes
    write_only           fields that the server takes and never shows
    options              the argument spec of its fields
"""

from __future__ import annotations

import ipaddress
import re

from ansible.module_utils.basic import AnsibleModule
from ansible_collections.ipam.ipam.plugins.module_utils.api import CONNECTION, Api, ApiError, segment

ID = re.compile("[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}")
OCTETS = re.compile("(0x)?[0-9a-f]{1,4}([.:-]?[0-9a-f]{2,4})+")
# Neither makes an object another one, and secrets have no place in a diff.
NOT_IN_DIFFS = ("updated_at", "secret", "token")

COMMON = {
    "state": {"type": "str", "choices": ["present", "absent"], "default": "present"},
    "id": {"type": "str"},
    "clear": {"type": "list", "elements": "str", "default": []},
    "cascade": {"type": "bool", "default": False},
    "update_secret": {"type": "bool", "default": False, "no_log": False},
}


class Missing(Exception):
    """What an option refers to is not there."""


def main(family):
    module = AnsibleModule(dict(CONNECTION, **COMMON, **family["options"]), supports_check_mode=True)
    try:
        result = Task(family, module.params, module.check_mode).result()
    except Missing as error:
        module.fail_json(msg=str(error))
    except ApiError as error:
        module.fail_json(msg=str(error), **error.facts)
    module.exit_json(**result)


class Task:
    """One object of one task."""

    def __init__(self, family, params, check_mode):
        self.family = family
        self.params = params
        self.rehearses = check_mode
        self.api = Api(params["api_url"], params["api_token"], params["api_ca"])
        given = {name: params[name] for name in family["options"] if params[name] is not None}
        self.references = {name: given.pop(name) for name in family["references"] if name in given}
        self.given = given

    def result(self):
        try:
            wanted = dict(self.given, **self.resolved())
        except Missing as missing:
            return self.without_its_place(missing)
        found = self.find(wanted)
        if self.params["state"] == "absent":
            return self.absent(found)
        if found is None:
            return self.made(wanted)
        return self.changed(found, self.differences(found, wanted))

    def without_its_place(self, missing):
        """Return whether there is nothing to delete. A rehearsal takes missing objects as made by a task before."""
        if self.params["state"] == "absent":
            return outcome(None, None)
        if not self.rehearses:
            raise missing
        return outcome(None, dict(self.given, **self.references))

    # --- references

    def resolved(self):
        """Return the ids of the objects that the task refers to, by field."""
        known = self.family["references"]
        return {known[name]["field"]: self.id_of(name, value) for name, value in self.references.items()}

    def id_of(self, name, value):
        if ID.fullmatch(value.lower()):
            return value
        reference = self.family["references"][name]
        found = [
            item
            for item in self.api.items("/" + reference["collection"], **{reference["key"]: value})
            if same(item.get(reference["key"]), value)
        ]
        if len(found) > 1:
            found = [item for item in found if item.get("tenant_id") == self.tenant()] or found
        if len(found) != 1:
            there = "there are several; give the id of one" if found else "there is none"
            raise Missing(f"{name}: {reference['label']} whose {reference['key']} is {value!r}: {there}")
        return found[0]["id"]

    def tenant(self):
        """Return the id of the task's tenant: where it names none, the default one or the token's, as for creates."""
        if "tenant" in self.references:
            return self.id_of("tenant", self.references["tenant"])
        seen = list(self.api.items("/tenants", is_default=True)) or list(self.api.items("/tenants"))
        return seen[0]["id"] if len(seen) == 1 else None

    # --- finding it

    def find(self, wanted):
        """Return the object with the task's key, None if there is none. Raises ApiError where several might be
        meant."""
        if self.params["id"]:
            return self.api.get(self.path(self.params["id"]))[0]
        key = self.compared(wanted)
        filters = {
            name: value for name, value in key.items() if name in self.family["filters"] and value is not None
        }
        rows = self.api.items("/" + self.family["collection"], **filters)
        found = [row for row in rows if all(same(row.get(name), value) for name, value in key.items())]
        if len(found) > 1:
            ids = ", ".join(row["id"] for row in found)
            raise ApiError(0, "ambiguous", f"several are like this; give the id of one: {ids}")
        return self.api.get(self.path(found[0]["id"]))[0] if found else None

    def compared(self, wanted):
        """Return the fields to look for it by, with their values."""
        names = next((names for names in self.family["keys"] if wanted.get(names[0]) is not None), None)
        if names is None:
            choices = ", or ".join(names[0] for names in self.family["keys"])
            raise ApiError(0, "no_key", f"give {choices} (or id): by that it is known")
        names = list(names) + [each["field"] for each in self.family["parents"]]
        key = {name: wanted[name] for name in [*names, "tenant_id"] if name in wanted}
        key.update({name: None for name in names if name in self.family["nullable"] and name not in wanted})
        if self.family["in_tenant"]:
            key["tenant_id"] = self.tenant()
        return key

    def path(self, id_):
        return f"/{self.family['item']}/{segment(id_)}"

    # --- actions

    def absent(self, found):
        if found is None:
            return outcome(None, None)
        path = self.path(found["id"])
        if not self.rehearses:
            self.api.delete(path, self.params["cascade"])
        elif self.family["in_bulk"]:
            self.api.rehearse(op="delete", path=path + ("?cascade=true" if self.params["cascade"] else ""))
        return outcome(found, None)

    def made(self, wanted):
        body, path = dict(wanted), "/" + self.family["collection"]
        for parent in self.family["parents"]:
            if parent["field"] in body:
                path = parent["path"].replace("{id}", segment(body.pop(parent["field"])))
                break
        if not self.rehearses:
            return outcome(None, self.api.create(path, body))
        return outcome(
            None, self.api.rehearse(op="create", path=path, body=body) if self.family["in_bulk"] else wanted
        )

    def differences(self, found, wanted):
        """Return the merge patch. What the server never shows is written with the object, and later if the task says
        so."""
        patch = {name: value for name, value in wanted.items() if name in found and found[name] != value}
        patch.update({name: None for name in self.params["clear"] if found.get(name) is not None})
        if self.params["update_secret"]:
            patch.update({name: wanted[name] for name in self.family["write_only"] if name in wanted})
        return patch

    def changed(self, found, patch):
        path = self.path(found["id"])
        secret = any(name in patch for name in self.family["write_only"])
        after = dict(found, **{name: value for name, value in patch.items() if name in found})
        if patch and self.family["in_bulk"]:
            after = self.api.rehearse(op="update", path=path, body=patch)
        if bare(after) == bare(found) and not secret:
            return outcome(found, found)
        if not self.rehearses:
            found, etag = self.api.get(path)
            after = self.api.update(path, patch, etag)
        return dict(outcome(found, after), changed=True)


def outcome(before, after):
    """Return the task's outcome: the object as it is (or would be) now, and what became another."""
    return {
        "changed": bare(before) != bare(after),
        "object": after,
        "diff": {"before": bare(before), "after": bare(after)},
    }


def bare(item):
    return {name: value for name, value in (item or {}).items() if name not in NOT_IN_DIFFS}


def same(one, other):
    return one == other or spelling(one) == spelling(other)


def spelling(value):
    """Return addresses, networks, hardware addresses and names in one notation."""
    text = str(value).lower().rstrip(".")
    for kind in (ipaddress.ip_address, ipaddress.ip_network):
        try:
            return str(kind(text))
        except ValueError:
            continue
    return re.sub("^0x|[.:-]", "", text) if OCTETS.fullmatch(text) else text
