"""Sockets, and nothing of the protocol that they carry.

udp.pyx             recvmmsg and sendmmsg in batches, udp6.pyx: over IPv6; datagram.pxd: one datagram with its way
routes.pyx          whether an interface leads to an IPv4 address
packet_socket.pyx   replies to clients that have no address yet; icmp.pyx: echo requests
reuseport.pyx       which worker's socket gets a packet; segmentation.py: several replies as one message
answer_from.py      datagrams beside the packet path, from the address that was asked
listen.py           what is opened at the start; links.py: interfaces and their addresses as they are now, which the
                    kernel tells by netlink.py
"""
