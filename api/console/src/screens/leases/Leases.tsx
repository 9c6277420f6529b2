import { text } from "./text.ts";

export default function Leases() {
  return <h1>{text.title}</h1>;
}
