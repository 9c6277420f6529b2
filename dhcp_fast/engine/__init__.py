"""The engine: packets in batches, and what changes under them. No loop and no SQL: `database` and `server` drive it.

engine.pyx          `Engine`: sockets in, decisions, replies out
engine_state.pyx    the memory of an engine: plan, leases, clocks, limits
engine_view.pyx     counts, leases and waiting work of an engine
batch.pyx           `Batch`: operations on their way through one statement
send_order.pyx      replies in order
configure.pyx       the plan replaced, a subnet at a time
recount.pyx         pools after that
lease_preload.pyx   all leases at the start
lease_rows.pyx      rows of the feed
tenures.pyx         holders of reserved leases
pool_usage.pyx      how full pools are
notices.pyx         decisions for the log
trace_reader.pyx    traces of a client
ping_replies.pyx    answers to the ping check
reconfigure.pyx     keys of Reconfigure messages
explain.pyx         a decision of DHCPv4, explained step by step
explain6.pyx        a decision of DHCPv6, likewise
rehearse.pyx        decisions without a database
"""
