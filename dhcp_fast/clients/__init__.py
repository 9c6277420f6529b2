"""Knowledge of a client besides its leases, for both families.

naming.pyx         the client's name, read from its packet, or made of its address
class_notes.pyx    names of its classes for traces, and its values for templates
recalled.pyx       options that it sent with its grant, for a later packet
remembered.pxd     options that it sent with its DISCOVER or Solicit
tenure.pxd         the holder of a reserved lease
declines.pyx       clients that put addresses out of service
circuit_limit.pyx  the number of leases of a circuit's clients
"""
