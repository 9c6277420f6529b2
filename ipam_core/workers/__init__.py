"""Work that follows a change, in processes beside the API and the DHCP servers: `ipam worker`, any number at once.

worker.py        the loops and what wakes them; node.py: its row among the nodes; metrics.py: what it counts,
                 service_metrics.py: what it shows of all
publisher.py     the serials of our own zones (also in every DNS server)
ddns_events.py   what leases, reservations and assignments mean for names -> the outbox (ddns_update)
ddns_sender.py   the outbox -> DNS servers, by adapters/; ddns_changes.py: what an update is to change there,
                 ddns_outcomes.py: what became of it
webhook_events.py   the stream of events -> deliveries (webhook_delivery)
webhook_sender.py   deliveries -> endpoints; webhook_endpoint.py: one of them, webhook_outcomes.py: what is written
                    down of them
notification_events.py   which events a notification is about, and how many messages it gets
notification_sender.py   deliveries -> chats and mail; notification_texts.py: what a message says of an event,
                         notification_formats.py: how each chat takes it
search_follower.py   leases and objects -> the tables by which parts of names are found
rates.py         what tenants may have a second
reconcile.py     a zone compared with what leases mean, and repaired
server_trial.py   whether a DNS server would take updates, for operators
loops.py         loops that go on when the database is away

The process around it is ipam_core.processes.worker.
"""
