"""Reads; the other modules write."""

from __future__ import annotations

DOCUMENTATION = r"""
module: info
short_description: Read objects of an ipam server
description:
- Reads all objects of a family that the filters let pass, page by page, or one by its id. Changes nothing.
version_added: 0.1.0
author: The ipam project (@ipam)
options:
  family:
    description: The family, as it stands in paths of the API, such as C(subnets), C(leases) or C(dns-zones).
    type: str
    required: true
  filters:
    description: Filters of its list, as the API's document has them.
    type: dict
    default: {}
  id:
    description: The id of the one object that is wanted.
    type: str
extends_documentation_fragment: ipam.ipam.connection
"""

EXAMPLES = r"""
- name: Whose lease is it?
  ipam.ipam.info:
    family: leases
    filters:
      mac: aa:bb:cc:dd:ee:ff
  register: leases
"""

RETURN = r"""
items:
  description: The objects, as the API shows them.
  returned: success
  type: list
  elements: dict
"""

from ansible.module_utils.basic import AnsibleModule  # noqa: E402 - below its document
from ansible_collections.ipam.ipam.plugins.module_utils.api import (  # noqa: E402 - below its document
    CONNECTION,
    Api,
    ApiError,
    segment,
)

OPTIONS = {
    "family": {"type": "str", "required": True},
    "filters": {"type": "dict", "default": {}},
    "id": {"type": "str"},
}


def main():
    module = AnsibleModule(dict(CONNECTION, **OPTIONS), supports_check_mode=True)
    given = module.params
    api = Api(given["api_url"], given["api_token"], given["api_ca"])
    path = "/" + segment(given["family"])
    try:
        if given["id"]:
            items = [api.get(f"{path}/{segment(given['id'])}")[0]]
        else:
            items = list(api.items(path, **given["filters"]))
    except ApiError as error:
        module.fail_json(msg=str(error), **error.facts)
    module.exit_json(changed=False, items=items)


if __name__ == "__main__":
    main()
