"""Several processes that serve one host's clients together (setting `dhcp_workers`, engine rule 21).

    supervisor.py   the process that `ipam dhcp` starts: opens every socket, keeps the workers, answers for all
    sockets.py      n sockets for each endpoint, in groups that the kernel steers: DHCPv4 by the hash of chaddr, DHCPv6
                    by that of the client's address or of its relay's
    process.py      one worker as a child process, and when it is started again
    host.py         duties once per host: the node's sign of life, the lock of rule 17, reading the lease feed
    channel.py      messages of the supervisor to its workers: frames over a socket pair
    door.py         sockets that workers are given while they serve
    worker.py       the DHCP server as a worker, and its line to the supervisor
    duties.py       duties that a worker leaves to its supervisor
    feed.py         the lease feed as a worker receives it
    metrics.py      one page of metrics out of all workers'
    http.py         /readyz, /healthz, /metrics and /trace of the host

Each family has a supervisor and n workers of its own. With one worker nothing of this runs: `ipam dhcp` is then the
server itself (dhcp_fast/server/server.py).
"""
