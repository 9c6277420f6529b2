import { catalogue } from "../../text/catalogue.ts";

export const text = catalogue({
  title: "Tenants",
  columns: {
    name: "Name",
    description: "Description",
    suffixes: "DNS suffixes",
    isDefault: "Where others belong",
    created: "Since",
  },
  id: "Id",
  suffixesHint: "Names at or below which the tenant may enable DNS zones. The default tenant needs none.",
  nameHint: "Also its virtual network's name towards DHCP relays.",
  add: "New tenant",
  make: "Make it",
  edit: "Change",
  remove: "Delete",
});
