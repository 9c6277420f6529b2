import { catalogue } from "../../text/catalogue.ts";

export const text = catalogue({
  title: "Tokens",
  columns: {
    name: "Name",
    role: "Role",
    prefix: "Begins with",
    tenant: "Tenant",
    used: "Last used",
    expires: "Ends",
    allowed: "Only from",
    created: "Made",
  },
  add: "New token",
  make: "Make it",
  nameHint: "What it is for; the audit trail shows it.",
  roles: {
    viewer: "Viewer: reads",
    operator: "Operator: reads, releases, retries, drains",
    admin: "Admin: everything",
  },
  expiresHint: "A moment, such as 2027-01-31T12:00:00Z. Left empty: it never ends.",
  allowedHint: "Networks, with commas between them. Left empty: from anywhere.",
  tenantHint: "Id of the only tenant whose objects it sees. Left empty: all.",
  secret: "Secret",
  edit: "Change",
  rotate: "Rotate",
  rotateTitle: (name: string) => `Rotate ${name}?`,
  rotateExplain: "It gets a new secret, which is shown once. The old one is refused from that moment on.",
  revoke: "Revoke",
  revokeTitle: (name: string) => `Revoke ${name}?`,
  revokeExplain: "Whoever uses it is refused from that moment on. It cannot be brought back.",
});
