-- depends: 0026.subscriber

-- Whether the client is willing to be told to ask anew (Reconfigure, RFC 8415 section 21.20), as it said when it got its
-- lease; null where nobody noted it. A server of the version before tells nothing of the device, so a field more in that
-- type does not concern it.
alter type lease_device add attribute accepts_reconfigure boolean;
alter table lease add column accepts_reconfigure boolean;
