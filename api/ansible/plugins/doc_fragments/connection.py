"""Options with which modules and inventory reach the server."""

from __future__ import annotations


class ModuleDocFragment:
    DOCUMENTATION = r"""
options:
  api_url:
    description: The API's address, with C(/api/v1) at its end; else the variable E(IPAM_API_URL) of the environment.
    type: str
    required: true
  api_token:
    description: An API token of a role that may do what the task asks; else the variable E(IPAM_API_TOKEN).
    type: str
  api_ca:
    description: A file of certificates (PEM) that the server's is checked against, instead of the system's; else
      the variable E(IPAM_API_CA).
    type: path
"""
