"""The HTTP API and all that speaks it. Only commands.py imports `dhcp_fast`, for explain.

    app.py            the ASGI application
    server.py         the process around it
    tls.py            its certificate
    protocol.py       the connections to it, bounded in number and time
    commands.py       commands of this package
    local_token.py    tokens made on the host
    local_zones.py    check of zones on the host
    local_relays.py   check of relays on the host
    http/             steps of every request: gate, rate limit, auth, guard, errors, and files of the console
    console/          the browser console, in TypeScript; see its README.md
    openapi/          the document, and the page that shows it
    write_documents.py  the document in docs/
    routes/           a family a module: decode, call the service, present
    client/           the client: HTTP only, no asyncpg, no services
    cli/              the command line: likewise
    write_man.py      manual pages of the commands
    generators/       files that follow from families and document, such as the modules of ansible/
    exporters/        the plan as configurations of other DHCP servers
    importers/        configurations of other DHCP servers as plans; no network at all

A request's walk, one direction: http/gate (id, rate limit, token) -> http/guards (role) -> routes (msgspec decodes) ->
ipam_core.services (rules, SQL, audit and event in one transaction) -> model -> JSON.
"""
