"""The HTTP API and all that speaks it. Of `dhcp_fast` commands.py alone takes something: explain.

    app.py server.py   the ASGI application, and the process around it; tls.py: its certificate
    protocol.py        the connections to it, bounded in number and time
    commands.py        what the `ipam` command brings from here; local_token.py: tokens made on the host;
                       local_zones.py, local_relays.py: what is checked there
    http/              what every request meets: gate, rate limit, auth, guard, errors; console.py: the console's files
    console/           the browser console, in TypeScript; README.md there
    openapi/           the document, and the page that shows it; write_documents.py: into docs/
    routes/            a family a module: decode, call the service, present
    client/ cli/       HTTP only: no asyncpg, no services; write_man.py: manual pages of the commands
    generators/        writes what follows from families and document, such as the modules of ansible/, a collection
    exporters/         the plan as configurations of other DHCP servers
    importers/         configurations of other DHCP servers as plans; no network at all

A request's walk, one direction: http/gate (id, rate limit, token) -> http/guards (role) -> routes (msgspec decodes) ->
ipam_core.services (rules, SQL, audit and event in one transaction) -> model -> JSON.
"""
