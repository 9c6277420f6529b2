// Schemas of the API's document that several files name.
import type { components } from "./schema.d.ts";

type Schemas = components["schemas"];

export type AuditEntry = Schemas["AuditEntry"];
export type Explanation = Schemas["Explanation"] | Schemas["Explanation6"];
export type NetBoxResult = Schemas["NetBoxResult"];
export type Notification = Schemas["Notification"];
export type Subnet = Schemas["Subnet"];
export type Token = Schemas["Token"];
export type TrustedRelay = Schemas["TrustedRelay"];
export type Webhook = Schemas["Webhook"];
