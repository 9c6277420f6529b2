"""Processes: supervisor.py keeps children alive, up.py starts every role of `ipam up`.

welcome.py        what `ipam up` prints; demo_relay.py: a packet of a relay that its plan does not trust
worker.py         `ipam worker` (workers/): its health, its end
health.py         pages of every process: /readyz, /healthz, /metrics; metrics_text.py: metrics of several as one page
connections.py    open connections of a listener, bounded in all and by network
notify.py         systemd is told that a process is ready
loading.py        how a command loads what it runs
log.py            how they log; local_access.py: whether the client is the operator of this machine
"""
