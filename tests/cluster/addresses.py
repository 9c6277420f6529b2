"""Where everything of the cluster is: hosts of one wire, with the addresses that deploy/patroni names."""

CLIENTS, CLIENTS6 = "192.0.2.1", "2001:db8:2::1"
NODES = ("192.0.2.11", "192.0.2.12", "192.0.2.13")
# The first host of each kind; the others follow.
FIRST = {"dhcp": 21, "api": 31, "dns": 41, "worker": 51}
PASSWORDS = {"@SUPERUSER_PASSWORD@": "of-the-superuser", "@REPLICATION_PASSWORD@": "of-replication"}
WISH = "?target_session_attrs=read-write"
SUPERUSER = f"postgresql://postgres:{PASSWORDS['@SUPERUSER_PASSWORD@']}@{','.join(NODES)}/postgres{WISH}"
URL = f"postgresql://ipam:of-ipam@{','.join(NODES)}/ipam{WISH}"


def four(number: int) -> str:
    return f"192.0.2.{number}"


def six(number: int) -> str:
    return f"2001:db8:2::{number}"
