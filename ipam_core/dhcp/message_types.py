"""Names of message types, as RFCs and packet analysers write them."""

from __future__ import annotations

# Option 53: RFC 2132 section 9.6, RFC 3203, RFC 4388, RFC 6926, RFC 7724.
MESSAGE_TYPES4 = {
    1: "DHCPDISCOVER",
    2: "DHCPOFFER",
    3: "DHCPREQUEST",
    4: "DHCPDECLINE",
    5: "DHCPACK",
    6: "DHCPNAK",
    7: "DHCPRELEASE",
    8: "DHCPINFORM",
    9: "DHCPFORCERENEW",
    10: "DHCPLEASEQUERY",
    11: "DHCPLEASEUNASSIGNED",
    12: "DHCPLEASEUNKNOWN",
    13: "DHCPLEASEACTIVE",
    14: "DHCPBULKLEASEQUERY",
    15: "DHCPLEASEQUERYDONE",
    16: "DHCPACTIVELEASEQUERY",
    17: "DHCPLEASEQUERYSTATUS",
    18: "DHCPTLS",
}
