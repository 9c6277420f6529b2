"""`ipam replay`: the rehearsal before a cutover.

capture.py        pcap and pcapng files -> packets with their link type
frames.py         a packet -> the UDP datagram in it
conversations.py  datagrams -> each client's requests, and the answers of the capture's server
rehearsal.py      each client's request -> the engine's answer under the current configuration
comparison.py     both answers, and their differences
                  conversations6.py, rehearsal6.py, comparison6.py: the same of DHCPv6
plan_file.py      a plan that `ipam import --plan` wrote, in a database of its own
command.py        the table, the summary and the exit status
"""
