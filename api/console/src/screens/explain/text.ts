import { catalogue } from "../../text/catalogue.ts";

export const text = catalogue({
  title: "Explain",
  family: "Protocol",
  families: { 4: "DHCPv4", 6: "DHCPv6" },
});
