"""`ipam replay`: the rehearsal before a cutover.

capture.py        pcap and pcapng files -> packets with their link type
frames.py         a packet -> the UDP datagram in it
conversations.py  datagrams -> what each client asked, and what the capture's server gave
rehearsal.py      each client's request -> what the engine would give under the current configuration
comparison.py     both side by side, told apart
                  conversations6.py, rehearsal6.py, comparison6.py: the same of DHCPv6
plan_file.py      a plan that `ipam import --plan` wrote, in a database of its own
command.py        the table, the summary and the exit status
"""
