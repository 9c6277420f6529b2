"""Connections to destinations that callers of the API choose: webhooks, NetBox, DNS servers, secondaries.

addresses.py        kinds of addresses, and the IPv4 addresses that an IPv6 address may contain
guard.py            permitted addresses by tenant; opening of a connection
opening.py          the guard of a process, made from its settings
threads.py          calls that block, a few for each tenant at a time
proxy.py            connections through the proxy of the setting `outbound_proxy`
faults.py           errors, without text that the other side wrote
http_connection.py  HTTP/1.1 messages over one connection
http_client.py      requests and bounded replies
mail.py             mails through the SMTP server of the settings
dns_stream.py       DNS messages over TCP
name_work.py        bound on the work of parsing the names of a DNS message

Nothing else in the service opens a connection to such a destination (decisions: Outbound connections).
"""
