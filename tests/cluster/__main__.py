"""`make cluster`: a whole site on one machine, to try and to break: PostgreSQL under Patroni, and our servers.

Needs root: network namespaces, and an account of its own for PostgreSQL. The machine's own network is left alone: one
enters the clients' namespace to ask the servers. All of it goes with this process, by Ctrl-C or otherwise.
"""

import os
import signal
import sys
import tempfile
import time
from contextlib import suppress
from pathlib import Path
from shutil import rmtree

from cluster.addresses import CLIENTS, CLIENTS6, FIRST, URL, four, six
from cluster.lab import Lab
from cluster.nodes import Node
from harness.memory_folder import memory_folder
from system.namespaces import entered
from system.peers import PeerMissingError

API, DHCP, DNS = FIRST["api"], FIRST["dhcp"], FIRST["dns"]
LOOK_SECONDS = 0.5
# As systemd would start a Patroni that ended; long enough that another has become the primary.
RESTART_SECONDS = 40.0


def main() -> int:
    if os.geteuid() != 0:
        return refuse("make cluster needs root: it makes network namespaces")
    folder = Path(tempfile.mkdtemp(prefix="ipam-cluster-", dir=memory_folder()))
    folder.chmod(0o711)
    for asked in (signal.SIGINT, signal.SIGTERM):  # a background job ignores the first
        signal.signal(asked, signal.default_int_handler)
    try:
        with Lab(folder) as lab, entered(lab.wire):
            run(lab)
    except AssertionError as error:  # what never came up; its logs are looked at
        return refuse(str(error))
    except PeerMissingError as error:
        rmtree(folder)
        return refuse(f"missing: {error}")
    except KeyboardInterrupt:
        rmtree(folder)
        say("Taken down.")
    return 0


def run(lab: Lab) -> None:
    began = time.monotonic()
    say("Starting three PostgreSQL nodes with etcd and Patroni, then the servers: half a minute")
    lab.start(dhcp=3, api=2, dns=1, dhcp6=True)
    say(told(lab, time.monotonic() - began))
    follow(lab)


def told(lab: Lab, seconds: float) -> str:
    command = Path(sys.executable).with_name("ipam")
    nodes = "\n".join(
        f"  {node.name}              PostgreSQL {node.address}:5432, http://{node.address}:8008/cluster"
        for node in lab.nodes
    )
    return f"""Up after {seconds:.0f} s. It is reached from a shell in the clients' network ({CLIENTS}, {CLIENTS6}):
  sudo nsenter --net=/proc/{lab.wire.holder}/ns/net

{nodes}
  dhcp1 to dhcp3   {four(DHCP)} to {four(DHCP + 2)} port 67, {six(DHCP)} to {six(DHCP + 2)} port 547
  api1, api2       http://{four(API)}:8080, http://{four(API + 1)}:8080
  dns1             {four(DNS)} port 53
  health           port 8081 of each: http://{four(DHCP)}:8081/readyz
  logs             {lab.folder}

There (a server leaves some clients to the others until they ask again):
  {command} probe --server {four(DHCP)}:67
  {command} probe -6 --server '[{six(DHCP)}]:547' --link {CLIENTS6}
  dig @{four(DNS)} www.lab.example
  IPAM_API_URL=http://{four(API)}:8080/api/v1 IPAM_API_TOKEN={lab.token} {command} leases list
  psql '{URL}'
"""


def follow(lab: Lab) -> None:
    """Say who is the primary and how to break it, whenever that changes; bring up again what was killed."""
    last: Node | None = None
    ended: dict[str, float] = {}
    while True:
        found = lab.leader()
        if found is not last:
            say(breaking(found) if found else "There is no primary.")
            last = found
        for node in lab.nodes:
            restart(node, ended)
        time.sleep(LOOK_SECONDS)


def breaking(node: Node) -> str:
    with suppress(OSError, IndexError):
        whole = f"$(pgrep --ns {node.init} --nslist pid)"
        return f"""The primary is {node.name}. In another shell, as root:
  kill -9 {node.init}    its Patroni and PostgreSQL at once; they are started again after {RESTART_SECONDS:.0f} s
  kill -STOP {whole}    freezes them, kill -CONT {whole} wakes them
Ctrl-C takes everything down.
"""
    return f"The primary is {node.name}."


def restart(node: Node, ended: dict[str, float]) -> None:
    if node.process is None or node.process.poll() is None:
        return
    if node.name not in ended:
        ended[node.name] = time.monotonic()
        say(f"{node.name} ended.")
    elif time.monotonic() - ended[node.name] > RESTART_SECONDS:
        del ended[node.name]
        node.start_patroni()
        say(f"{node.name} is started again.")


def say(text: str) -> None:
    print(f"{time.strftime('%H:%M:%S')} {text}", flush=True)


def refuse(why: str) -> int:
    print(why, file=sys.stderr)
    return 1


if __name__ == "__main__":
    sys.exit(main())
