"""The domain on PostgreSQL: what the service knows, and the rules that hold whoever asks. It imports nothing of ours.

    settings.py    every setting, the only reader of the environment; setting_values.py: how the text of each is read
    settings_reference.py  docs/reference/settings.md; event_reference.py: docs/reference/events.md
    client_settings.py  what the commands that speak HTTP read from the environment
    supplied_options.py  DHCPv6 options that relays may supply
    errors.py      every error, its docstring the message
    faults.py      exceptions that stay with their item: counted, logged at a bounded rate
    printing.py    what commands print, without characters that control a terminal
    secrets.py     secrets at rest; build_info.py: the version, for every page of metrics
    host_labels.py labels of host names as RFC 1123 allows them, and those that clients never get
    stoppable.py   work in a thread that ends with its request; untrusted_yaml.py: YAML within limits
    bootstrap_code.py  the one-time code for the first token
    backup.py      database and key as files, and back
    commands.py    what the `ipam` command brings from here
    model/         the vocabulary: frozen structs and pure functions, a family a file; no I/O
    dhcp/          the table of DHCP options, how their values are written, and what drops and notices mean
    dns/           zones, names and records as rules
    db/            PostgreSQL: sessions, named queries (sql/), migrations, the embedded server
    outbound/      connections to destinations that the API's callers choose
    services/      use cases, a family a file; entity/ holds what all share
    netbox/        prefixes taken from NetBox and given to it
    processes/     health, metrics, children kept alive, `ipam up`

Lower never imports higher: model <- dhcp, dns, db, outbound <- services <- netbox, workers <- processes <- commands.
"""
