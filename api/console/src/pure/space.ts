// Arithmetic of addresses and networks of both families, in bigints: 128 bits do not fit a number.

export type Family = 4 | 6;
export type Network = { readonly family: Family; readonly first: bigint; readonly length: number };

const DOTTED = /^(\d{1,3})\.(\d{1,3})\.(\d{1,3})\.(\d{1,3})$/;
const BITS = { 4: 32, 6: 128 } as const;

export function parseAddress(text: string): { family: Family; value: bigint } | null {
  if (text.includes(":")) return parse6(text);
  const parts = DOTTED.exec(text);
  if (parts === null) return null;
  // As a number first, because a map has thousands and bigints are slow.
  let value = 0;
  for (let at = 1; at <= 4; at++) {
    const octet = Number(parts[at]);
    if (octet > 255) return null;
    value = value * 256 + octet;
  }
  return { family: 4, value: BigInt(value) };
}

function parse6(text: string): { family: Family; value: bigint } | null {
  const halves = text.split("::");
  if (halves.length > 2) return null;
  const [head = [], tail = []] = halves.map((half) => (half === "" ? [] : half.split(":")));
  const missing = 8 - head.length - tail.length;
  if (halves.length === 2 ? missing < 1 : missing !== 0) return null;
  const groups = [...head, ...Array<string>(missing).fill("0"), ...tail];
  if (!groups.every((group) => /^[0-9a-f]{1,4}$/i.test(group))) return null;
  return { family: 6, value: groups.reduce((sum, group) => sum * 65536n + BigInt(`0x${group}`), 0n) };
}

// As RFC 5952 has it: lower case, the longest run of zero groups shortened, the first of equally long ones.
export function formatAddress(family: Family, value: bigint): string {
  if (family === 4) return [24n, 16n, 8n, 0n].map((shift) => (value >> shift) & 255n).join(".");
  const groups = Array.from({ length: 8 }, (_, at) =>
    ((value >> BigInt(112 - 16 * at)) & 65535n).toString(16),
  );
  const runs = [
    ...groups
      .map((group) => (group === "0" ? "0" : "x"))
      .join("")
      .matchAll(/0{2,}/g),
  ];
  const longest = runs.reduce(
    (best, run) => (run[0].length > best.size ? { at: run.index, size: run[0].length } : best),
    {
      at: 0,
      size: 0,
    },
  );
  if (longest.size === 0) return groups.join(":");
  return `${groups.slice(0, longest.at).join(":")}::${groups.slice(longest.at + longest.size).join(":")}`;
}

export function parseNetwork(text: string): Network | null {
  const [address = "", length = "", ...rest] = text.split("/");
  const found = parseAddress(address);
  if (found === null || rest.length || !/^\d{1,3}$/.test(length)) return null;
  if (Number(length) > BITS[found.family]) return null;
  return around(found.family, found.value, Number(length));
}

export function formatNetwork({ family, first, length }: Network): string {
  return `${formatAddress(family, first)}/${length}`;
}

// The network of a length that an address lies in.
export function around(family: Family, value: bigint, length: number): Network {
  const host = BigInt(BITS[family] - length);
  return { family, first: (value >> host) << host, length };
}

export function sizeOf({ family, length }: Network): bigint {
  return 1n << BigInt(BITS[family] - length);
}

export function lastOf(network: Network): bigint {
  return network.first + sizeOf(network) - 1n;
}

export function holds(network: Network, inner: Network): boolean {
  return (
    network.family === inner.family &&
    network.length <= inner.length &&
    around(inner.family, inner.first, network.length).first === network.first
  );
}

export function bitsOf(network: Network): number {
  return BITS[network.family];
}

// Whether the API draws its past: up to /20 and /116.
export function hasPastMap(network: Network): boolean {
  return bitsOf(network) - network.length <= 12;
}

// How people count a network: IPv6 in /64s down to one, all else in addresses.
export function counted(network: Network): { count: bigint; unit: "addresses" | "/64s" } {
  if (network.family === 4 || network.length > 64) return { count: sizeOf(network), unit: "addresses" };
  return { count: 1n << BigInt(64 - network.length), unit: "/64s" };
}

// Many as "65,536", more than twelve digits as a power of two.
export function countText(count: bigint): string {
  const digits = count.toString();
  if (digits.length <= 12) return digits.replace(/\B(?=(\d{3})+$)/g, ",");
  return (count & (count - 1n)) === 0n
    ? `2^${count.toString(2).length - 1}`
    : `~2^${count.toString(2).length - 1}`;
}

// The lengths that subnets of a network are made of: in IPv6 only nibbles, as reverse zones and people read them.
export function subnetLengths(network: Network): number[] {
  const most = network.family === 4 ? 30 : 64;
  const step = network.family === 4 ? 1 : 4;
  const first = Math.ceil(network.length / step) * step;
  const lengths = Array.from(
    { length: Math.max(0, Math.floor((most - first) / step) + 1) },
    (_, at) => first + at * step,
  );
  return lengths.length > 0 ? lengths : [network.length];
}
