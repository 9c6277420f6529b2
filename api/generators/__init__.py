"""Generators of files that follow from the family table and docs/openapi.json and are not kept in git: `python -m
api.generators`.

client_attributes.py    api/client/attributes.py, which tells type checkers the families of the client
ansible_modules.py      the modules of the Ansible collection, with their documentation
ansible_families.py     what those know of their families: keys, references, options
__main__.py             the command
"""
