import type { AuditEntry } from "../../api/types.ts";
import { text } from "./text.ts";

// The word for what happened, which list and drawer show.
export function actionOf({ action }: AuditEntry): string {
  return (text.actions as Record<string, string>)[action] ?? action;
}
