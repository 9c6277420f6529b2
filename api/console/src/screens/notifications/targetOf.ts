import type { Notification } from "../../api/types.ts";

// Where the messages go: an address of the web, or those of mails.
export function targetOf({ url, recipients }: Notification): string {
  return url ?? recipients.join(", ");
}
