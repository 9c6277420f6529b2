-- depends: 0036.history

-- Credentials of the adapter ad_gsstsig, as files of the machines that send updates: whose keys they are the database does
-- not know, so that nothing of them is sealed here.
alter table dns_server add column keytab text;
alter table dns_server add column ticket_cache text;
