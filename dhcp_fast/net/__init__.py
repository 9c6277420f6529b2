"""Sockets, without the protocol that they carry.

udp.pyx             recvmmsg and sendmmsg in batches, udp6.pyx: over IPv6; datagram.pxd: one datagram with its way
routes.pyx          routes from an interface to an IPv4 address
packet_socket.pyx   replies to clients that have no address yet; icmp.pyx: echo requests
reuseport.pyx       the choice of a worker for a packet; segmentation.py: several replies as one message
answer_from.py      datagrams beside the packet path, sent from the address that the client asked
listen.py           sockets to open at the start; links.py: interfaces and their addresses now
                    netlink.py          messages from and to the kernel
"""
