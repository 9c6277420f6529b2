import { catalogue } from "../../text/catalogue.ts";

export const text = catalogue({
  title: "Leases",
});
