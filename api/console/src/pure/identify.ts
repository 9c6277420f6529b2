// What somebody typed: an address, a network, a MAC in any notation, a DUID, or a name. What looks like nothing else is
// a name; the API has the last word.

export type Identified = {
  readonly kind: "ip" | "within" | "mac" | "duid" | "hostname";
  readonly value: string;
};

export function identify(typed: string): Identified | null {
  const text = typed.trim();
  if (text === "") return null;
  if (isAddress(text)) return { kind: "ip", value: text };
  if (isNetwork(text)) return { kind: "within", value: text };
  const octets = octetsOf(text);
  if (octets === 6) return { kind: "mac", value: text };
  if (octets !== null && octets > 6) return { kind: "duid", value: text };
  return { kind: "hostname", value: text };
}

// Whether hardly anybody would type on: a MAC has all its octets, a network two digits of its length.
export function isWhole(typed: string): boolean {
  const text = typed.trim();
  const kind = identify(text)?.kind;
  return (kind === "mac" && /[0-9a-f]{2}$/i.test(text)) || (kind === "within" && /\/\d\d$/.test(text));
}

export function isAddress(text: string): boolean {
  return isIpv4(text) || isIpv6(text);
}

function isNetwork(text: string): boolean {
  const [address = "", length = "", ...rest] = text.split("/");
  if (rest.length || !/^\d{1,3}$/.test(length)) return false;
  return isIpv4(address) ? Number(length) <= 32 : isIpv6(address) && Number(length) <= 128;
}

function isIpv4(text: string): boolean {
  const parts = text.split(".");
  return parts.length === 4 && parts.every((part) => /^\d{1,3}$/.test(part) && Number(part) < 256);
}

function isIpv6(text: string): boolean {
  const halves = text.split("::");
  if (halves.length > 2 || !/^[0-9a-f:]+$/i.test(text)) return false;
  const groups = halves.flatMap((half) => (half === "" ? [] : half.split(":")));
  if (!groups.every((group) => /^[0-9a-f]{1,4}$/i.test(group))) return false;
  return halves.length === 2 ? groups.length < 8 : groups.length === 8;
}

// How many octets a text in hex means, or null: aa-bb-cc-dd-ee-ff, aabb.ccdd.eeff, a:b:c:d:e:f, aabbccddeeff.
function octetsOf(text: string): number | null {
  const hex = text.replace(/^0x/i, "");
  if (/^[0-9a-f]{1,2}([:-][0-9a-f]{1,2})+$/i.test(hex)) return hex.split(/[:-]/).length;
  if (/^[0-9a-f]{4}(\.[0-9a-f]{4})+$/i.test(hex)) return hex.split(".").length * 2;
  return /^([0-9a-f]{2}){6,}$/i.test(hex) ? hex.length / 2 : null;
}
