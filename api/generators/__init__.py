"""Generators of files that follow from the family table and docs/openapi.json and are not kept in git: `python -m
api.generators`.

client_attributes.py    api/client/attributes.py: families of the client, for type checkers
ansible_modules.py      the modules of the Ansible collection, with their documentation
ansible_families.py     keys, references and options of families in these modules
__main__.py             the command
"""
