import { catalogue } from "../../text/catalogue.ts";

export const text = catalogue({
  title: "Tenants",
  columns: { name: "Name", description: "Description", isDefault: "Where others belong", created: "Since" },
  id: "Id",
  nameHint: "Also its virtual network's name towards DHCP relays.",
  add: "New tenant",
  make: "Make it",
  edit: "Change",
  remove: "Delete",
});
