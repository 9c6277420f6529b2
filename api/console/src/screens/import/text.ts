import { catalogue } from "../../text/catalogue.ts";

export const text = catalogue({
  title: "Import",
  explain:
    "Open a plan that ipam import wrote, or a table with the columns ip, mac and hostname. This browser reads the file. The server checks every object before anything is created.",
  others: "To import the configuration of another DHCP server, or another table, write a plan first:",
  command: "ipam import FILE --plan plan.json",
  file: "Plan or table",
  fileHint: "JSON, CSV or TSV, up to 64 MiB.",
  paste: "Pasted table",
  pasteHint:
    "Cells separated by commas, semicolons or tabs; the first row contains the column names, such as ip,mac,hostname.",
  faults: {
    text: "This file is larger than 64 MiB, or is not text in UTF-8 or UTF-16.",
    empty: "There are no rows below the column names.",
    json: "This is not valid JSON. A plan may be incomplete: write it again with ipam import --plan.",
    plan: "This JSON is not a plan of ipam import --plan.",
    older: "An earlier version of ipam wrote this plan. Write it again with ipam import --plan.",
    newer: (version: number) =>
      `This plan has version ${version}, which this server cannot read. Write it with the server's version of ipam.`,
    object: (number: number) => `Object ${number} of this plan is incomplete, or its ref is not unique.`,
    warning: (number: number) => `Warning ${number} of this plan is incomplete.`,
    quote: (line: number) => `Line ${line}: the quotation mark is never closed.`,
    columns: (names: string) =>
      `The columns must be ip and mac, hostname or both, each once; found: ${names}. For other tables, run ipam import --plan.`,
  },
  table: {
    noAddress: (value: string) => (value === "" ? "Enter an IP address." : `${value} is not an IP address.`),
    noMac: (value: string) => `${value} is not a MAC address.`,
    noName: "Enter a MAC address or a hostname.",
    noSubnet: (ip: string) => `No subnet contains ${ip}. Create the subnet first.`,
    tooManyCells: "The row has more cells than the first row has names.",
    column: (name: string) => `column ${name}`,
    unread: "Only ip, mac and hostname are imported.",
  },
  read: "Content",
  statements: (format: string, read: number, warned: number) =>
    `Format ${format}: ${(read + warned).toLocaleString()} statements or rows, of which ${warned.toLocaleString()} are not imported.`,
  counts: {
    title: "Objects by kind",
    family: "Kind",
    planned: "In the file",
    kept: "Existing",
    wanted: "To create",
  },
  families: {
    "option-definitions": "Option definitions",
    "client-classes": "Client classes",
    prefixes: "Prefixes",
    subnets: "Subnets",
    excludes: "Exclusions",
    pools: "Pools",
    reservations: "Reservations",
    options: "Options",
    assignments: "Static assignments",
  },
  keptExplain: "Existing objects remain unchanged.",
  differences: (count: number) => `Existing objects with other values (${count.toLocaleString()})`,
  differencesExplain: "The server keeps its own values of these fields. Edit the objects to change them.",
  importing: "Import into the server",
  limit: "Managed addresses after the import",
  ofLimit: (used: number, more: number, limit: number) =>
    limit === 0
      ? `${used.toLocaleString()} and ${more.toLocaleString()} more; no limit`
      : `${used.toLocaleString()} and ${more.toLocaleString()} more, of ${limit.toLocaleString()}`,
  overLimit: (over: number) =>
    `${over.toLocaleString()} of these addresses exceed the managed address limit. Raise it, or import fewer reservations.`,
  warnings: (count: number) => `Warnings of the importer (${count.toLocaleString()})`,
  remarks: (count: number) => `Warnings of the server (${count.toLocaleString()})`,
  columns: { line: "Line", reason: "Effect", what: "Object", field: "Field", why: "Reason" },
  reasons: { dropped: "Not imported", approximated: "Approximated", manual: "Manual step" },
  lookingUp: "Reading the existing objects…",
  into: (tenant: string) => `Tenant: ${tenant}.`,
  nothing: "There is nothing to create.",
  requests: (count: number, most: number) =>
    `The import takes ${count} requests of up to ${most.toLocaleString()} operations, each all or nothing. If one is refused, the objects of earlier requests remain.`,
  oneRequest: "The import is one request: it creates all objects, or none.",
  check: "Check import",
  progress: "Progress",
  checking: (done: number, of: number) => `Checking part ${done + 1} of ${of}`,
  passed: (count: number) => `The server accepts all ${count.toLocaleString()} objects. Nothing was changed.`,
  refused: (count: number) => `${count.toLocaleString()} refused. Nothing was changed.`,
  notAll: "The check ended here: correct these first, then check again.",
  more: (count: number) => `and ${count.toLocaleString()} more`,
  errors: "Refused objects",
  lost: (what: string) => `Depends on ${what}, which does not exist.`,
  notOnServer: "The plan uses this object of the server, which does not exist.",
  whole: "The request",
  leaveOut: (count: number) =>
    `Leave out the refused objects and those that depend on them (${count.toLocaleString()})`,
  create: (count: number) => `Create ${count.toLocaleString()} objects`,
  creating: (done: number, of: number) => `${done.toLocaleString()} of ${of.toLocaleString()} created`,
  created: (count: number) => `${count.toLocaleString()} created.`,
  stoppedAt: (line: string, what: string, field: string, why: string) =>
    `${line === "" ? "" : `Line ${line}: `}${what}${field === "" ? "" : `, ${field}`}: ${why}`,
  stopped: (count: number) =>
    `The import stopped. The ${count.toLocaleString()} objects created before remain. Check the import again to create the rest.`,
  unknown: (count: number) =>
    `The import stopped without an answer. ${count.toLocaleString()} objects were created before; the last request may have been carried out. Check the import again to find out.`,
  createdList: "Created objects",
});
