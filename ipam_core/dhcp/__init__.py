"""DHCP options: the table of them, how their values are written, and the compiler from rows to wire data."""
