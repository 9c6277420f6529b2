"""Clients: what is known of one of them beside its leases. Both families share it.

naming.pyx         what a client is called: read from its packet, or made of its address
class_notes.pyx    names of its classes for those who watch, and the values that it brings to templates
recalled.pyx       options that it sent with its grant, for a later packet
remembered.pxd     options that it sent with its DISCOVER or Solicit
tenure.pxd         who holds a reserved lease
declines.pyx       who put addresses out of service
circuit_limit.pyx  how many leases the clients of a circuit have
"""
