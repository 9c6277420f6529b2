"""Processes of `ipam`: their start, health, metrics and supervision.

supervisor.py     child processes, restarted when they end
up.py             every role of `ipam up`
welcome.py        text that `ipam up` prints
demo_relay.py     a packet of a relay agent that the demonstration does not trust
worker.py         `ipam worker` (workers/): its health and its end
health.py         /readyz, /healthz and /metrics of every process
metrics_text.py   metrics of several processes as one page
connections.py    open connections of a listener, bounded in total and by network
notify.py         readiness notification of systemd
loading.py        loading of modules for commands
log.py            logging
local_access.py   whether the client is the operator of this host
"""
