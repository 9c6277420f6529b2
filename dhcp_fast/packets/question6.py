"""The packet of a DHCPv6 question: octets that a client would send, in its relay's envelope (RFC
8415 sections 18 and 19).
"""

from ipaddress import IPv6Address, IPv6Network

from dhcp_fast.packets import message6
from dhcp_fast.packets.message6 import CLIENT_ID, IA_NA, IA_PD, INTERFACE_ID, SERVER_ID, MessageType, Option
from ipam_core.model.explain6 import TO_ONE_SERVER, Association, Question6

KINDS = {
    "solicit": MessageType.SOLICIT,
    "request": MessageType.REQUEST,
    "renew": MessageType.RENEW,
    "rebind": MessageType.REBIND,
    "confirm": MessageType.CONFIRM,
    "information_request": MessageType.INFORMATION_REQUEST,
}
CLIENT = IPv6Address("fe80::1")
LONG_AGO = 0xFFFF  # so that no server leaves the client to another one


def packet6(question: Question6, server_id: bytes) -> bytes:
    """Return the packet. `server_id`: DUID of the servers, which some messages contain."""
    told = [(CLIENT_ID, question.duid), message6.elapsed(LONG_AGO)]
    if question.message in TO_ONE_SERVER:
        told.append((SERVER_ID, server_id))
    if question.message != "information_request":
        told += [association(asked) for asked in question.associations]
    inner = message6.message(KINDS[question.message], 1, [*told, *extras(question)])
    return message6.relay_forward(
        inner, link=IPv6Address(int(question.link_address)), peer=CLIENT, options=relay_options(question)
    )


def extras(question: Question6) -> list[Option]:
    found = []
    if question.requested_options:
        found.append(message6.asking(question.requested_options))
    if question.vendor_class:
        found.append(message6.vendor_class(question.vendor_enterprise, question.vendor_class.encode()))
    if question.user_class:
        found.append(message6.user_class(question.user_class.encode()))
    return found


def relay_options(question: Question6) -> list[Option]:
    found = [message6.relay_port()]
    if question.interface_id:
        found.append((INTERFACE_ID, question.interface_id))
    if question.mac:
        found.append(message6.link_layer_address(bytes.fromhex(question.mac.replace(":", ""))))
    return found


def association(asked: Association) -> Option:
    if asked.kind == "na":
        named = [] if asked.address is None else [message6.address(IPv6Address(int(asked.address)))]
        return message6.association(IA_NA, asked.iaid, named)
    prefix = asked.prefix if isinstance(asked.prefix, IPv6Network) else None
    if asked.length is not None:
        prefix = IPv6Network(("::", asked.length))
    return message6.association(IA_PD, asked.iaid, [] if prefix is None else [message6.prefix(prefix)])
