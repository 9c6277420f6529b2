// Whether one of the texts that name a client holds what somebody typed: a part of a text, a MAC or DUID in any notation,
// or the network of an address.
import { around, parseAddress, parseNetwork } from "./space.ts";

export function mentions(texts: readonly (string | null | undefined)[], typed: string): boolean {
  const wanted = typed.trim().toLowerCase();
  if (wanted === "") return true;
  const told = texts.flatMap((text) => (text ? [text.toLowerCase()] : []));
  if (told.some((text) => text.includes(wanted))) return true;
  if (wanted.includes("/")) return told.some((text) => liesIn(text, wanted));
  const digits = octets(wanted);
  return digits !== null && told.some((text) => octets(text)?.includes(digits));
}

function liesIn(text: string, cidr: string): boolean {
  const [network, address] = [parseNetwork(cidr), parseAddress(text)];
  if (network === null || address === null || network.family !== address.family) return false;
  return around(address.family, address.value, network.length).first === network.first;
}

// The digits of octets in hex, however they are written; null for less than two octets and for what is something else.
export function octets(text: string): string | null {
  const plain = text.trim().toLowerCase().replace(/^0x/, "");
  const parts = plain.split(/[:-]/);
  const padded =
    parts.length > 1 ? parts.map((part) => part.padStart(2, "0")).join("") : plain.replaceAll(".", "");
  return /^([0-9a-f]{2}){2,}$/.test(padded) ? padded : null;
}
