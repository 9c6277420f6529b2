--
-- PostgreSQL database dump
--

SET statement_timeout = 0;

CREATE TABLE public.lease4 (
    address bigint NOT NULL,
    hwaddr bytea,
    client_id bytea,
    valid_lifetime bigint,
    expire timestamp with time zone,
    subnet_id bigint,
    fqdn_fwd boolean,
    fqdn_rev boolean,
    hostname character varying(255),
    state bigint DEFAULT 0,
    user_context text
);

COPY public.hosts (host_id, dhcp_identifier) FROM stdin;
1	\\x010a
\.

COPY public.lease4 (address, hwaddr, client_id, valid_lifetime, expire, subnet_id, fqdn_fwd, fqdn_rev, hostname, state, user_context) FROM stdin;
3221226085	\\x020000000001	\\x01020000000001	3600	2026-03-02 00:00:00+00	7	f	f	alpha.	0	\N
3221226086	\\x020000000002	\\x	3600	2026-02-28 23:43:20+00	7	f	f		2	\N
3221226087	\\x020000000003	\\x	3600	2026-03-02 00:00:00+00	7	f	f		1	\N
3221226088	\\x020000000004	\\x	3600	2026-03-02 00:00:00+00	7	f	f		3	\N
3221226089	\\x020000000005	\\x	3600	2026-03-02 00:00:00+00	7	f	f	old	0	\N
3221226090	\\x020000000005	\\x	3600	2026-03-02 01:00:00+00	7	f	f	new	0	\N
3221226091	\\x	\\xff00000001000100012c3d4e5f020000000007	4294967295	2026-03-02 00:00:00+00	7	f	f	iaid	0	\N
3221226093	\\x020000000030	\\x	3600	2026-03-02 00:00:00+00	7	f	f		0	\N
3221226094	\\x020000000008	\\x	3600	2026-03-02 00:00:00+00	7	f	f		0	\N
3221226095	\\x02000000000a	\\x	3600	2026-03-02 00:00:00+00	7	f	f		0	\N
3221226096	\\x	\\x	3600	2026-03-02 00:00:00+00	7	f	f		0	\N
3221225984	\\x020000000031	\\x	3600	2026-03-02 00:00:00+00	7	f	f		0	\N
\.
