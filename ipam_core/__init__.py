"""The domain on PostgreSQL: objects of the service and their rules. It imports neither `api` nor `dhcp_fast`.

    settings.py            every setting; the only reader of the environment
    setting_values.py      readers of the settings' texts
    settings_reference.py  docs/reference/settings.md
    event_reference.py     docs/reference/events.md
    client_settings.py     settings of commands that use HTTP
    supplied_options.py    DHCPv6 options that relays may supply
    errors.py              every error; its docstring is the message
    faults.py              exceptions that stay with their item: counted, logged at a bounded rate
    printing.py            output of commands, without characters that control a terminal
    secrets.py             secrets at rest
    build_info.py          the version, for every page of metrics
    host_labels.py         labels of host names (RFC 1123), and labels that clients never get
    stoppable.py           work in a thread that ends with its request
    untrusted_yaml.py      YAML within limits
    bootstrap_code.py      the one-time code for the first token
    backup.py              database and key as files, and their restore
    commands.py            commands of this package
    model/                 the vocabulary: frozen structs and pure functions, a family a file; no I/O
    dhcp/                  the table of DHCP options, their kinds, reasons of drops and notices
    dns/                   rules of zones, names and records
    db/                    PostgreSQL: sessions, named queries (sql/), migrations, the embedded server
    outbound/              connections to destinations that callers of the API choose
    services/              use cases, a family a file; entity/ has the parts that all share
    netbox/                import of prefixes from NetBox, and export to it
    workers/               work after a change: DNS updates, webhooks, notifications, search
    processes/             health, metrics, supervision, `ipam up`

Lower never imports higher: model <- dhcp, dns, db, outbound <- services <- netbox, workers <- processes <- commands.
"""
