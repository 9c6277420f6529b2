import { catalogue } from "../../text/catalogue.ts";

export const text = catalogue({
  title: "Settings",
  who: "Who you are",
  self: {
    name: "Token",
    role: "Role",
    prefix: "Begins with",
    tenant: "Tenant",
    everyTenant: "All tenants",
    expires: "Ends",
    never: "Never",
    allowed: "Only from",
    used: "Last used",
  },
  signOut: "Sign out",
  looks: "How the console looks",
  kept: "What this browser keeps",
  keptExplain: "It is kept nowhere else, and no server is told of it.",
  keptNothing: "Nothing is kept.",
  item: { name: "What", place: "Until", value: "Value", act: "Action" },
  places: { tab: "This tab is closed", device: "It is forgotten" },
  names: { token: "Token", preferences: "Preferences", tenant: "Chosen tenant" },
  columnsOf: (table: string) => `Columns of the table ${table}`,
  hidden: "Not shown",
  forget: "Forget",
  forgetOne: (name: string) => `Forget: ${name}`,
  forgetToken: "Sign out",
  onlyTab: "Keep it for this tab only",
  forgetAll: "Forget all but the token",
  service: "The service",
  cap: "Managed addresses",
  ofCap: (used: number, cap: number) =>
    cap === 0
      ? `${used.toLocaleString()}, without a limit`
      : `${used.toLocaleString()} of ${cap.toLocaleString()}`,
  capExplain:
    "Reservations and static assignments count. The setting managed_address_limit of the API sets the limit.",
  globalOptions: "Options for everybody",
  versions: "Versions of the servers",
  noVersions: "No server tells of itself to this token.",
  version: { name: "Node", role: "Role", version: "Version" },
  documents: "Documentation",
  guides: "Guides",
  page: "API reference, with forms to try it",
  whole: "Save the API's document",
  plan: "Save the part about the address plan",
});
