import { catalogue } from "../../text/catalogue.ts";

export const text = catalogue({
  title: "Webhooks",
  empty: "No webhook yet.",
  columns: {
    url: "Address",
    description: "Description",
    events: "Events",
    enabled: "Sends",
    reason: "Why it does not",
    tenant: "Tenant",
    previous: "The old secret holds until",
  },
  add: "New webhook",
  make: "Make it",
  eventsHint: "Such as lease.granted, pool.*, or * for all; with commas between them.",
  enabled: "Send messages",
  tenantHint: "Id of the tenant whose events it hears.",
  secret: "Secret that signs the messages",
  edit: "Change",
  test: "Send a test",
  testTitle: "Send a test message?",
  testExplain: "A webhook.ping goes to it like any other message; the delivery shows the answer.",
  rotate: "Rotate the secret",
  rotateTitle: "Rotate the secret?",
  rotateExplain: "A new secret is shown once. Messages carry both signatures for a while.",
  remove: "Delete",
});
