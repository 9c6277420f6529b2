"""One server process.

server.py         starts, serves and ends; receiver.py: a socket on the loop; ping_timer.py: the ping check's
http.py           /readyz, /healthz, /metrics, /trace; metrics.py: the page; trace_stream.py: a client's packets
decision_log.py   one line a kind of unusual decision
"""
